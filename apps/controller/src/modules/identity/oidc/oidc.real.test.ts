import { OIDC_CLIENT_ID as CLIENT_ID, OIDC_CLIENT_SECRET as CLIENT_SECRET } from '@flotilla/testkit/oidc-provider';
import { describe, expect, it, vi } from 'vitest';
import { ADDRESS, newsOf, person, REFUSED, stageProviders, whoIs } from './testing/stage.ts';

const here = stageProviders();

describe('signing in at a provider', () => {
  it('creates an account with the roles of its groups, and a session of this browser', async () => {
    here.corp.person = person('ada');
    const browser = here.openBrowser();
    const begun = await browser.open('/auth/oidc/corp/start?return_to=/clients?state=down');
    const there = new URL(begun.location);
    expect(`${there.origin}${there.pathname}`).toBe(`${here.corp.issuer}/auth`);
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
      memberships: [{ project: here.t.project, role: 'editor' }],
    });
    const again = here.openBrowser();
    await again.signIn('corp');
    expect((await whoIs(again)).id).toBe(user.id);
    expect(await here.findUser('p-ada')).toMatchObject({ password_hash: null });
  });

  it('completes in every tab that has started one, even after an unexpected callback', async () => {
    here.corp.person = person('tab');
    here.other.person = person('tab', { preferred_username: 'p-tab-other' });
    const browser = here.openBrowser();
    const first = await browser.open('/auth/oidc/corp/start?return_to=/clients');
    const second = await browser.open('/auth/oidc/other/start?return_to=/services');
    expect(newsOf((await browser.open('/auth/oidc/corp/callback?state=forged&code=x')).location)).toEqual(REFUSED);
    expect((await browser.open(await browser.signInAt(first.location))).location).toBe('/clients');
    expect((await browser.open(await browser.signInAt(second.location))).location).toBe('/services');
    expect(browser.cookies.has('flotilla_sign_in')).toBe(false);
  });

  it('respects the size limit of cookies for any number of sign-ins', async () => {
    const browser = here.openBrowser();
    for (let i = 0; i < 8; i += 1) {
      const returnTo = encodeURIComponent(`/${String(i).repeat(1000)}`);
      const { setCookies } = await browser.open(`/auth/oidc/corp/start?return_to=${returnTo}`);
      expect(Math.max(...setCookies.map((one) => one.length))).toBeLessThan(4096);
    }
  });

  it('follows the groups at the next sign-in', async () => {
    here.corp.person = person('bea');
    await here.openBrowser().signIn('corp');
    here.corp.person = person('bea', { groups: [] });
    const browser = here.openBrowser();
    await browser.signIn('corp');
    expect(await whoIs(browser)).toMatchObject({ username: 'p-bea', memberships: [] });
    here.corp.person = person('eve', { groups: ['Operators'] });
    const { location } = await here.openBrowser().signIn('corp');
    expect(newsOf(location)).toEqual({ kind: 'error', code: 'sign_in.no_access' });
  });

  it('is offered as a realm only if the address of the installation is known', async () => {
    const listed = async () => (await here.t.app.inject({ url: '/auth/realms' })).json().items;
    expect(await listed()).toContainEqual({
      name: 'corp',
      kind: 'oidc',
      title: 'Sign in at corp',
      start: '/auth/oidc/corp/start',
    });
    await here.put('general', {});
    expect((await listed()).map(({ name }: { name: string }) => name)).toEqual(['local']);
    // While an address was set, other hosts were refused; its removal applies within a second.
    await vi.waitFor(async () => {
      const { location } = await here.openBrowser().open('/auth/oidc/corp/start', { host: 'evil.example' });
      expect(newsOf(location)).toEqual({ kind: 'error', code: 'sign_in.no_address' });
    });
  });

  it("requires the second factor like every other way to sign in, unless the provider's is trusted", async () => {
    expect((await here.t.owner.call('PUT', '/api/v3/setting/otp-config', { otp_enforced: true })).status).toBe(200);
    try {
      here.corp.person = person('fay');
      const browser = here.openBrowser();
      const { location } = await browser.signIn('corp');
      expect(newsOf(location)).toMatchObject({ kind: 'factor', needed: { enrol: true, factors: [] } });
      expect(await whoIs(browser)).toBeUndefined();

      const claims = { preferred_username: 'p-liar', groups: ['operators'], amr: ['pwd', 'mfa'] };
      expect(newsOf((await here.signInAtLiar({ claims })).location)).toMatchObject({ kind: 'factor' });
      await here.configure('liar', { issuer: here.liar.issuer, trusted_amr: ['mfa'] });
      expect((await here.signInAtLiar({ claims: { ...claims, amr: ['pwd'] } })).location).toContain('#');
      expect((await here.signInAtLiar({ claims })).location).toBe('/');
    } finally {
      await here.t.owner.call('PUT', '/api/v3/setting/otp-config', { otp_enforced: false });
    }
  });

  it('reports an unreachable provider, and local accounts can still sign in', async () => {
    await here.configure('gone', { issuer: 'http://localhost:1' });
    const { location } = await here.openBrowser().open('/auth/oidc/gone/start');
    expect(newsOf(location)).toEqual({ kind: 'error', code: 'sign_in.directory_unavailable' });
    const local = { username: here.t.owner.username, password: here.t.owner.password };
    expect((await here.t.app.inject({ method: 'POST', url: '/auth/login', payload: local })).statusCode).toBe(200);
    const { location: none } = await here.openBrowser().open('/auth/oidc/never-was/start');
    expect(newsOf(none)).toEqual({ kind: 'error', code: 'sign_in.realm_unknown' });
  });

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example', '/.//evil.example'])(
    'redirects nobody to %s',
    async (returnTo) => {
      here.corp.person = person('ada');
      const { location } = await here.openBrowser().signIn('corp', returnTo);
      expect(location).toBe('/');
    },
  );
});

describe('the account of a person from a provider', () => {
  it('is never found by a name or an address', async () => {
    const member = await here.t.createMember('admin');
    const victim = { username: 'victim', email: 'victim@example.org' };
    await here.t.database.db.updateTable('users').set(victim).where('id', '=', member.userId).execute();
    here.corp.person = person('mal-1', { preferred_username: 'victim', email: victim.email });
    const { location } = await here.openBrowser().signIn('corp');
    expect(newsOf(location)).toEqual({ kind: 'error', code: 'sign_in.name_taken' });
    here.corp.person = person('mal-2', { email: victim.email });
    const browser = here.openBrowser();
    await browser.signIn('corp');
    expect((await whoIs(browser)).id).not.toBe(member.userId);
  });

  it('gets no address that the provider has not verified', async () => {
    here.corp.person = person('gil', { email_verified: false });
    const browser = here.openBrowser();
    await browser.signIn('corp');
    expect(await whoIs(browser)).toMatchObject({ username: 'p-gil', email: null });
  });

  it('is found by issuer and subject: neither another subject nor another provider gets it', async () => {
    here.corp.person = person('hal');
    await here.openBrowser().signIn('corp');
    here.corp.person = person('hal-2', { preferred_username: 'p-hal' });
    expect(newsOf((await here.openBrowser().signIn('corp')).location)).toMatchObject({
      code: 'sign_in.name_taken',
    });
    here.other.person = person('hal');
    expect(newsOf((await here.openBrowser().signIn('other')).location)).toMatchObject({
      code: 'sign_in.name_taken',
    });
  });

  it('cannot be used while it is disabled', async () => {
    here.corp.person = person('ivy');
    const browser = here.openBrowser();
    await browser.signIn('corp');
    const { id } = await whoIs(browser);
    expect((await here.t.owner.call('PATCH', `/api/v3/setting/users/${id}`, { active: false })).status).toBe(200);
    const { location } = await here.openBrowser().signIn('corp');
    expect(newsOf(location)).toEqual({ kind: 'error', code: 'auth.wrong_credentials' });
  });
});

it('sets up a second factor with a recent sign-in, since it has no password', async () => {
  here.corp.person = person('lea');
  const browser = here.openBrowser();
  await browser.signIn('corp');
  const page = JSON.parse((await browser.open('/auth/browser/session')).body);
  const enable = () => browser.post('/api/v3/profile/otp/enable', {}, { 'x-csrf-token': page.csrf_token });
  const { id } = page.user;
  const [now, before] = [new Date(), new Date(Date.now() - 11 * 60_000)];
  await here.t.database.db.updateTable('sessions').set({ created_at: before }).where('user_id', '=', id).execute();
  expect(await enable()).toMatchObject({ status: 403, body: { code: 'sign_in.again' } });
  await here.t.database.db.updateTable('sessions').set({ created_at: now }).where('user_id', '=', id).execute();
  expect(await enable()).toMatchObject({ status: 200, body: { backup_codes: expect.any(Array) } });
});

describe('the settings of a provider', () => {
  it('refuse an issuer whose answers somebody on the way could change', async () => {
    const answer = await here.put('oidc/plain', { title: 'x', issuer: 'http://accounts.example', client_id: 'x' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'request.invalid' } });
    expect(
      (await here.put('oidc/plain', { title: 'x', issuer: 'http://127.0.0.1.evil.example', client_id: 'x' })).status,
    ).toBe(400);
  });

  it('are tested before they are saved, and the stored secret is sent nowhere else', async () => {
    const test = (body: object) => here.t.owner.call('POST', '/api/v3/setting/documents/oidc/corp/test', body);
    const document = { title: 'x', client_id: CLIENT_ID, issuer: here.corp.issuer };
    expect((await test(document)).body).toMatchObject({ ok: true });
    expect((await test({ ...document, issuer: here.liar.issuer })).body).toMatchObject({
      code: 'setting.secrets_again',
    });
    here.liar.lie = { metadataIssuer: 'https://accounts.example' };
    const answer = await test({ ...document, issuer: here.liar.issuer, client_secret: CLIENT_SECRET });
    expect(answer.body).toMatchObject({ ok: false });
    expect(JSON.stringify(answer.body)).not.toContain(CLIENT_SECRET);
  });

  it('never return the secret', async () => {
    const shown = await here.t.owner.call('GET', '/api/v3/setting/documents/oidc/corp');
    expect(shown.body.private).toMatchObject([{ path: 'client_secret', set: true }]);
    expect(JSON.stringify(shown.body)).not.toContain(CLIENT_SECRET);
  });
});
