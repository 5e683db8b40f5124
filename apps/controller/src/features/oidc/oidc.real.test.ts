import { createHash } from 'node:crypto';
import {
  OIDC_CLIENT_ID as CLIENT_ID,
  OIDC_CLIENT_SECRET as CLIENT_SECRET,
  type OidcProvider,
  startOidcProvider,
} from '@flotilla/testkit/oidc-provider';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../test-controller.ts';
import { TestBrowser } from './test-browser.ts';
import { startLyingProvider } from './test-provider.ts';

const ADDRESS = 'https://fleet.example';

let t: TestController;
let corp: OidcProvider;
let other: OidcProvider;
let liar: Awaited<ReturnType<typeof startLyingProvider>>;

beforeAll(async () => {
  t = await createTestController();
  corp = await startOidcProvider([`${ADDRESS}/auth/oidc/corp/callback`]);
  other = await startOidcProvider([`${ADDRESS}/auth/oidc/other/callback`]);
  liar = await startLyingProvider();
});
afterAll(async () => {
  await t?.close();
  await Promise.all([corp?.close(), other?.close(), liar?.close()]);
});
beforeEach(async () => {
  liar.lie = {};
  expect((await put('general', { public_url: ADDRESS })).status).toBe(200);
  for (const [name, { issuer }] of Object.entries({ corp, other, liar })) await configure(name, { issuer });
});

function put(path: string, body: unknown) {
  return t.owner.call('PUT', `/api/v3/setting/documents/${path}`, body);
}

async function configure(name: string, change: Record<string, unknown> = {}): Promise<void> {
  const answer = await put(`oidc/${name}`, {
    enabled: true,
    title: `Sign in at ${name}`,
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
    mapping: { rules: [{ group: 'operators', project: t.project, role: 'editor' }] },
    ...change,
  });
  expect(answer.body).toMatchObject({ key: 'oidc', name });
}

const person = (sub: string, more: Record<string, unknown> = {}) => ({
  sub,
  preferred_username: `p-${sub}`,
  groups: ['operators'],
  email: `${sub}@example.org`,
  email_verified: true,
  ...more,
});

/** What the page that the browser lands on is told. */
const newsOf = (location: string) => {
  const fragment = new URLSearchParams(new URL(location, ADDRESS).hash.slice(1));
  return JSON.parse(fragment.get('sign-in') ?? 'null');
};
const refused = { kind: 'error', code: 'sign_in.provider_refused' };

async function findUser(username: string) {
  return t.database.db.selectFrom('users').selectAll().where('username', '=', username).executeTakeFirst();
}

async function whoIs(browser: TestBrowser) {
  const answer = await browser.open('/auth/browser/session');
  return answer.status === 200 ? JSON.parse(answer.body).user : undefined;
}

describe('signing in at a provider', () => {
  it('makes an account with the roles of its groups, and a session of this browser', async () => {
    corp.person = person('ada');
    const browser = new TestBrowser(t.app);
    const begun = await browser.open('/auth/oidc/corp/start?return_to=/clients?state=down');
    const there = new URL(begun.location);
    expect(`${there.origin}${there.pathname}`).toBe(`${corp.issuer}/auth`);
    expect(Object.fromEntries(there.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT_ID,
      redirect_uri: `${ADDRESS}/auth/oidc/corp/callback`,
      code_challenge_method: 'S256',
      scope: 'openid profile email',
    });
    expect(begun.location).not.toContain(CLIENT_SECRET);
    expect(begun.setCookies).toEqual([
      expect.stringMatching(/^flotilla_sign_in=.*Max-Age=600.*HttpOnly.*SameSite=Lax/),
    ]);
    const landed = await browser.open(await browser.signInAt(begun.location));
    expect(landed).toMatchObject({ status: 302, location: '/clients?state=down' });
    expect(landed.setCookies.find((cookie) => cookie.startsWith('flotilla_session='))).toMatch(
      /HttpOnly.*SameSite=Strict/,
    );
    expect(browser.cookies.has('flotilla_sign_in')).toBe(false);
    const user = await whoIs(browser);
    expect(user).toMatchObject({
      username: 'p-ada',
      email: 'ada@example.org',
      is_owner: false,
      memberships: [{ project: t.project, role: 'editor' }],
    });
    const again = new TestBrowser(t.app);
    await again.signIn('corp');
    expect((await whoIs(again)).id).toBe(user.id);
    expect(await findUser('p-ada')).toMatchObject({ password_hash: null });
  });

  it('goes on in every tab that has begun, also after a callback that nobody asked for', async () => {
    corp.person = person('tab');
    other.person = person('tab', { preferred_username: 'p-tab-other' });
    const browser = new TestBrowser(t.app);
    const first = await browser.open('/auth/oidc/corp/start?return_to=/clients');
    const second = await browser.open('/auth/oidc/other/start?return_to=/services');
    expect(newsOf((await browser.open('/auth/oidc/corp/callback?state=forged&code=x')).location)).toEqual(refused);
    expect((await browser.open(await browser.signInAt(first.location))).location).toBe('/clients');
    expect((await browser.open(await browser.signInAt(second.location))).location).toBe('/services');
    expect(browser.cookies.has('flotilla_sign_in')).toBe(false);
  });

  it('keeps to what a browser takes for a cookie, however many sign-ins begin', async () => {
    const browser = new TestBrowser(t.app);
    for (let i = 0; i < 8; i += 1) {
      const returnTo = encodeURIComponent(`/${String(i).repeat(1000)}`);
      const { setCookies } = await browser.open(`/auth/oidc/corp/start?return_to=${returnTo}`);
      expect(Math.max(...setCookies.map((one) => one.length))).toBeLessThan(4096);
    }
  });

  it('follows the groups at the next sign-in', async () => {
    corp.person = person('bea');
    await new TestBrowser(t.app).signIn('corp');
    corp.person = person('bea', { groups: [] });
    const browser = new TestBrowser(t.app);
    await browser.signIn('corp');
    expect(await whoIs(browser)).toMatchObject({ username: 'p-bea', memberships: [] });
    corp.person = person('eve', { groups: ['Operators'] });
    const { location } = await new TestBrowser(t.app).signIn('corp');
    expect(newsOf(location)).toEqual({ kind: 'error', code: 'sign_in.no_access' });
  });

  it('is offered as a realm where the address of the installation is known, and nowhere else', async () => {
    const listed = async () => (await t.app.inject({ url: '/auth/realms' })).json().items;
    expect(await listed()).toContainEqual({
      name: 'corp',
      kind: 'oidc',
      title: 'Sign in at corp',
      start: '/auth/oidc/corp/start',
    });
    await put('general', {});
    expect((await listed()).map(({ name }: { name: string }) => name)).toEqual(['local']);
    const { location } = await new TestBrowser(t.app).open('/auth/oidc/corp/start', { host: 'evil.example' });
    expect(newsOf(location)).toEqual({ kind: 'error', code: 'sign_in.no_address' });
  });

  it('asks for the second factor like every other way in, unless the provider is trusted with it', async () => {
    expect((await t.owner.call('PUT', '/api/v3/setting/otp-config', { otp_enforced: true })).status).toBe(200);
    try {
      corp.person = person('fay');
      const browser = new TestBrowser(t.app);
      const { location } = await browser.signIn('corp');
      expect(newsOf(location)).toMatchObject({ kind: 'factor', needed: { enrol: true, factors: [] } });
      expect(await whoIs(browser)).toBeUndefined();

      const claims = { preferred_username: 'p-liar', groups: ['operators'], amr: ['pwd', 'mfa'] };
      expect(newsOf((await signInAtLiar({ claims })).location)).toMatchObject({ kind: 'factor' });
      await configure('liar', { issuer: liar.issuer, trusted_amr: ['mfa'] });
      expect((await signInAtLiar({ claims: { ...claims, amr: ['pwd'] } })).location).toContain('#');
      expect((await signInAtLiar({ claims })).location).toBe('/');
    } finally {
      await t.owner.call('PUT', '/api/v3/setting/otp-config', { otp_enforced: false });
    }
  });

  it('says that a provider is away, and lets accounts of here in', async () => {
    await configure('gone', { issuer: 'http://localhost:1' });
    const { location } = await new TestBrowser(t.app).open('/auth/oidc/gone/start');
    expect(newsOf(location)).toEqual({ kind: 'error', code: 'sign_in.directory_unavailable' });
    const local = { username: t.owner.username, password: t.owner.password };
    expect((await t.app.inject({ method: 'POST', url: '/auth/login', payload: local })).statusCode).toBe(200);
    const { location: none } = await new TestBrowser(t.app).open('/auth/oidc/never-was/start');
    expect(newsOf(none)).toEqual({ kind: 'error', code: 'sign_in.realm_unknown' });
  });

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example', '/.//evil.example'])(
    'leads nobody on to %s',
    async (returnTo) => {
      corp.person = person('ada');
      const { location } = await new TestBrowser(t.app).signIn('corp', returnTo);
      expect(location).toBe('/');
    },
  );
});

describe('whose account it is', () => {
  it('is never told by a name or an address', async () => {
    const member = await t.createMember('admin');
    const victim = { username: 'victim', email: 'victim@example.org' };
    await t.database.db.updateTable('users').set(victim).where('id', '=', member.userId).execute();
    corp.person = person('mal-1', { preferred_username: 'victim', email: victim.email });
    const { location } = await new TestBrowser(t.app).signIn('corp');
    expect(newsOf(location)).toEqual({ kind: 'error', code: 'sign_in.name_taken' });
    corp.person = person('mal-2', { email: victim.email });
    const browser = new TestBrowser(t.app);
    await browser.signIn('corp');
    expect((await whoIs(browser)).id).not.toBe(member.userId);
  });

  it('takes no address that the provider has not verified', async () => {
    corp.person = person('gil', { email_verified: false });
    const browser = new TestBrowser(t.app);
    await browser.signIn('corp');
    expect(await whoIs(browser)).toMatchObject({ username: 'p-gil', email: null });
  });

  it('is told by issuer and subject: neither another subject nor another provider gets it', async () => {
    corp.person = person('hal');
    await new TestBrowser(t.app).signIn('corp');
    corp.person = person('hal-2', { preferred_username: 'p-hal' });
    expect(newsOf((await new TestBrowser(t.app).signIn('corp')).location)).toMatchObject({
      code: 'sign_in.name_taken',
    });
    other.person = person('hal');
    expect(newsOf((await new TestBrowser(t.app).signIn('other')).location)).toMatchObject({
      code: 'sign_in.name_taken',
    });
  });

  it('is nobody’s while it is switched off', async () => {
    corp.person = person('ivy');
    const browser = new TestBrowser(t.app);
    await browser.signIn('corp');
    const { id } = await whoIs(browser);
    expect((await t.owner.call('PATCH', `/api/v3/setting/users/${id}`, { active: false })).status).toBe(200);
    const { location } = await new TestBrowser(t.app).signIn('corp');
    expect(newsOf(location)).toEqual({ kind: 'error', code: 'auth.wrong_credentials' });
  });
});

describe('what comes back from a provider', () => {
  it('is good once, also with the cookie of the browser that began', async () => {
    corp.person = person('joy');
    const browser = new TestBrowser(t.app);
    const begun = await browser.open('/auth/oidc/corp/start');
    const thief = new TestBrowser(t.app);
    thief.steal(browser);
    const callback = await browser.signInAt(begun.location);
    expect((await browser.open(callback)).location).toBe('/');
    expect(newsOf((await browser.open(callback)).location)).toEqual(refused);
    expect(newsOf((await thief.open(callback)).location)).toEqual(refused);
    expect(await whoIs(thief)).toBeUndefined();
  });

  it('is good once, also where the provider takes a code again and again', async () => {
    liar.lie = { claims: { sub: 'again', preferred_username: 'p-again', groups: ['operators'] } };
    const browser = new TestBrowser(t.app);
    const { searchParams } = new URL((await browser.open('/auth/oidc/liar/start')).location);
    liar.nonce = searchParams.get('nonce') ?? '';
    const thief = new TestBrowser(t.app);
    thief.steal(browser);
    const callback = `/auth/oidc/liar/callback?code=c&state=${searchParams.get('state')}`;
    const [one, two] = await Promise.all([browser.open(callback), thief.open(callback)]);
    expect([one.location, two.location].toSorted()[0]).toBe('/');
    expect([newsOf(one.location), newsOf(two.location)]).toContainEqual(refused);
  });

  it('is worth nothing in another browser: nobody is signed in as somebody else by an address', async () => {
    corp.person = person('mal-3');
    const attacker = new TestBrowser(t.app);
    const callback = await attacker.signInAt((await attacker.open('/auth/oidc/corp/start')).location);
    const victim = new TestBrowser(t.app);
    expect(newsOf((await victim.open(callback)).location)).toEqual(refused);
    await victim.open('/auth/oidc/corp/start');
    expect(newsOf((await victim.open(callback)).location)).toEqual(refused);
    expect(await whoIs(victim)).toBeUndefined();
  });

  it('is worth nothing with the code of another sign-in: the proof of who began it is missing', async () => {
    corp.person = person('mal-4');
    const attacker = new TestBrowser(t.app);
    const stolen = new URL(await attacker.signInAt((await attacker.open('/auth/oidc/corp/start')).location));
    const victim = new TestBrowser(t.app);
    const own = new URL(await victim.signInAt((await victim.open('/auth/oidc/corp/start')).location));
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    expect(newsOf((await victim.open(own.href)).location)).toEqual(refused);
  });

  it.each([
    ['another state', (url: URL) => url.searchParams.set('state', 'x')],
    ['no state', (url: URL) => url.searchParams.delete('state')],
    ['another issuer', (url: URL) => url.searchParams.set('iss', other.issuer)],
    ['no issuer, where the provider always names it', (url: URL) => url.searchParams.delete('iss')],
    ['an error', (url: URL) => url.searchParams.set('error', 'access_denied')],
    ['no code', (url: URL) => url.searchParams.delete('code')],
  ])('is refused with %s, and written down', async (_name, change) => {
    corp.person = person('kim');
    const browser = new TestBrowser(t.app);
    const url = new URL(await browser.signInAt((await browser.open('/auth/oidc/corp/start')).location));
    change(url);
    const before = await countDenials();
    expect(newsOf((await browser.open(url.href)).location)).toEqual(refused);
    expect(await whoIs(browser)).toBeUndefined();
    await expect.poll(countDenials, { timeout: 30_000 }).toBe(before + 1);
  });

  it('is refused at the callback of another provider', async () => {
    corp.person = person('kim');
    const browser = new TestBrowser(t.app);
    const callback = await browser.signInAt((await browser.open('/auth/oidc/corp/start')).location);
    expect(newsOf((await browser.open(callback.replace('/corp/', '/other/'))).location)).toEqual(refused);
  });

  it('is not shown to a provider that the settings name only since', async () => {
    const browser = new TestBrowser(t.app);
    corp.person = person('kim');
    const callback = await browser.signInAt((await browser.open('/auth/oidc/corp/start')).location);
    const redeemed = liar.redeemed;
    await configure('corp', { issuer: liar.issuer });
    expect(newsOf((await browser.open(callback)).location)).toEqual(refused);
    expect(liar.redeemed).toBe(redeemed);
  });

  const claims = { preferred_username: 'p-lie', groups: ['operators'] };
  it.each([
    ['another audience', { claims: { ...claims, aud: 'somebody-else' } }],
    ['several audiences and another party', { claims: { ...claims, aud: [CLIENT_ID, 'x'], azp: 'x' } }],
    ['another nonce', { claims: { ...claims, nonce: 'x' } }],
    ['no nonce', { claims: { ...claims, nonce: undefined } }],
    ['another issuer', { claims: { ...claims, iss: 'https://accounts.example' } }],
    ['an end that has passed', { claims: { ...claims, exp: 1 } }],
    ['no signature', { claims, sign: 'none' as const }],
    ['the signature of another key', { claims, sign: 'other_key' as const }],
    ['no ID token', { idToken: false as const }],
    ['the hash of another access token', { claims: { ...claims, at_hash: 'x'.repeat(22) } }],
    ['no answer to who redeems the code', { claims, isAway: true as const }],
    ['somebody else at the user info', { claims: { sub: 'liar' }, userInfo: { ...claims, sub: 'ada' } }],
  ])('is refused with %s', async (_name, lie) => {
    const { location, browser } = await signInAtLiar(lie);
    expect(newsOf(location)).toEqual(refused);
    expect(await whoIs(browser)).toBeUndefined();
    expect(await findUser('p-lie')).toBeUndefined();
  });

  it('is taken by the key that the provider has now, and by no other that it had', async () => {
    const signedBy = (sub: string) => ({ claims: { sub, preferred_username: `p-${sub}`, groups: ['operators'] } });
    expect((await signInAtLiar(signedBy('key-1'))).location).toBe('/');
    liar.rotateKey();
    expect((await signInAtLiar(signedBy('key-2'))).location).toBe('/');
  });

  it('is taken with the hash of its own access token', async () => {
    // The left half of the SHA-256 of "access".
    const atHash = createHash('sha256').update('access').digest().subarray(0, 16).toString('base64url');
    const { location } = await signInAtLiar({
      claims: { ...claims, sub: 'hash', preferred_username: 'p-hash', at_hash: atHash },
    });
    expect(location).toBe('/');
  });

  it('is taken from that very provider where all is well', async () => {
    expect(
      (await signInAtLiar({ claims: { ...claims, sub: 'honest', preferred_username: 'p-honest' } })).location,
    ).toBe('/');
  });
});

it('an account of a provider sets a second factor up by a sign-in of just now, since it has no password', async () => {
  corp.person = person('lea');
  const browser = new TestBrowser(t.app);
  await browser.signIn('corp');
  const page = JSON.parse((await browser.open('/auth/browser/session')).body);
  const enable = () => browser.post('/api/v3/profile/otp/enable', {}, { 'x-csrf-token': page.csrf_token });
  const { id } = page.user;
  const [now, before] = [new Date(), new Date(Date.now() - 11 * 60_000)];
  await t.database.db.updateTable('sessions').set({ created_at: before }).where('user_id', '=', id).execute();
  expect(await enable()).toMatchObject({ status: 403, body: { code: 'sign_in.again' } });
  await t.database.db.updateTable('sessions').set({ created_at: now }).where('user_id', '=', id).execute();
  expect(await enable()).toMatchObject({ status: 200, body: { backup_codes: expect.any(Array) } });
});

describe('the settings of a provider', () => {
  it('take no issuer whose answers anybody on the way could change', async () => {
    const answer = await put('oidc/plain', { title: 'x', issuer: 'http://accounts.example', client_id: 'x' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'request.invalid' } });
    expect(
      (await put('oidc/plain', { title: 'x', issuer: 'http://127.0.0.1.evil.example', client_id: 'x' })).status,
    ).toBe(400);
  });

  it('are tried before they are saved, and send the stored secret nowhere else', async () => {
    const test = (body: object) => t.owner.call('POST', '/api/v3/setting/documents/oidc/corp/test', body);
    const document = { title: 'x', client_id: CLIENT_ID, issuer: corp.issuer };
    expect((await test(document)).body).toMatchObject({ ok: true });
    expect((await test({ ...document, issuer: liar.issuer })).body).toMatchObject({ code: 'setting.secrets_again' });
    liar.lie = { metadataIssuer: 'https://accounts.example' };
    const answer = await test({ ...document, issuer: liar.issuer, client_secret: CLIENT_SECRET });
    expect(answer.body).toMatchObject({ ok: false });
    expect(JSON.stringify(answer.body)).not.toContain(CLIENT_SECRET);
  });

  it('never tell the secret', async () => {
    const shown = await t.owner.call('GET', '/api/v3/setting/documents/oidc/corp');
    expect(shown.body.private).toMatchObject([{ path: 'client_secret', set: true }]);
    expect(JSON.stringify(shown.body)).not.toContain(CLIENT_SECRET);
  });
});

/** A whole sign-in at the provider that lies; its page is left out, since it would say yes. */
async function signInAtLiar(lie: typeof liar.lie) {
  liar.lie = lie;
  const browser = new TestBrowser(t.app);
  const { location: there } = await browser.open('/auth/oidc/liar/start');
  const { searchParams } = new URL(there);
  liar.nonce = searchParams.get('nonce') ?? '';
  const { location } = await browser.open(`/auth/oidc/liar/callback?code=c&state=${searchParams.get('state')}`);
  return { location, browser };
}

async function countDenials(): Promise<number> {
  const rows = await t.database.db
    .selectFrom('audit_log')
    .select('id')
    .where('action', '=', 'session.login')
    .where('outcome', '=', 'denied')
    .execute();
  return rows.length;
}
