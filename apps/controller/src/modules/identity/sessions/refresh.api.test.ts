import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createTestController,
  openController,
  type TestCaller,
  type TestController,
} from '../../../testing/controller.ts';

const MASTER = { SVC_MASTER_KEY: '7'.repeat(64) };

let t: TestController;
beforeAll(async () => {
  t = await createTestController(MASTER);
});
afterAll(() => t.close());

const GRACE_S = 30;
const SESSION = '/auth/browser/session';

interface Cookies {
  readonly session: string;
  readonly refresh: string;
}

async function openBrowser({ username, password }: Pick<TestCaller, 'username' | 'password'>): Promise<Cookies> {
  const payload = { username, password };
  return cookiesOf(await t.app.inject({ method: 'POST', url: '/auth/browser/login', payload }));
}

function cookiesOf({ headers }: { headers: Record<string, unknown> }): Cookies {
  const [session = '', refresh = ''] = [headers['set-cookie'] ?? []].flat().map((one) => String(one).split(';', 1)[0]);
  return { session, refresh };
}

function refreshBrowser(
  { session, refresh }: Cookies,
  { headers, at = t }: { headers?: Record<string, string>; at?: Pick<TestController, 'app'> } = {},
) {
  const cookie = [session, refresh].filter(Boolean).join('; ');
  return at.app.inject({ method: 'POST', url: '/auth/browser/refresh', headers: { cookie, ...headers } });
}

async function signIn({ username, password }: Pick<TestCaller, 'username' | 'password'>) {
  const payload = { username, password };
  return (await t.app.inject({ method: 'POST', url: '/auth/login', payload })).json();
}

async function refreshBearer(token: string, body?: object) {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await t.app.inject({ method: 'POST', url: '/refresh', headers, ...(body && { payload: body }) });
  return { status: answer.statusCode, body: answer.json() };
}

/** Moves the replaced tokens past the grace period. */
function ageSpentTokens(userId: string) {
  return t.database.db
    .updateTable('spent_refresh_tokens')
    .set({ spent_at: new Date(Date.now() - (GRACE_S + 1) * 1000) })
    .where('session_id', 'in', (eb) => eb.selectFrom('sessions').select('id').where('user_id', '=', userId))
    .execute();
}

it('two tabs that refresh at once get the same successor, and so does one that comes a little later', async () => {
  const member = await t.createMember('viewer');
  const before = await openBrowser(member);
  const tabs = await Promise.all(Array.from({ length: 8 }, () => refreshBrowser(before)));
  expect(tabs.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
  const successors = new Set(tabs.map((tab) => cookiesOf(tab).refresh));
  expect(successors.size).toBe(1);
  expect(successors.has(before.refresh)).toBe(false);
  expect(cookiesOf(await refreshBrowser(before)).refresh).toBe([...successors][0]);
  const after = cookiesOf(tabs[0] ?? { headers: {} });
  expect((await t.app.inject({ url: SESSION, headers: { cookie: after.session } })).statusCode).toBe(200);
  expect((await refreshBrowser(after)).statusCode).toBe(200);
});

it('tabs on two controllers get the same successor, and a replay on one of them ends the session on both', async () => {
  const { controller: second, close } = await openController(t.database, MASTER);
  try {
    const member = await t.createMember('viewer');
    const before = await openBrowser(member);
    const tabs = await Promise.all(
      Array.from({ length: 8 }, (_, i) => refreshBrowser(before, { at: i % 2 === 0 ? t : second })),
    );
    expect(tabs.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
    expect(new Set(tabs.map((tab) => cookiesOf(tab).refresh)).size).toBe(1);
    const current = cookiesOf(tabs[0] ?? { headers: {} });
    await ageSpentTokens(member.userId);
    expect((await refreshBrowser(before, { at: second })).json().code).toBe('auth.refresh_replayed');
    for (const at of [t, second])
      expect((await refreshBrowser(current, { at })).json().code).toBe('auth.session_ended');
  } finally {
    await close();
  }
});

it('a refresh token replayed after the grace period ends the session with all its tokens, and is recorded', async () => {
  const member = await t.createMember('viewer');
  const stolen = await openBrowser(member);
  const current = cookiesOf(await refreshBrowser(stolen));
  await ageSpentTokens(member.userId);
  expect((await refreshBrowser(stolen)).json().code).toBe('auth.refresh_replayed');
  expect((await refreshBrowser(current)).json().code).toBe('auth.session_ended');
  const page = await t.app.inject({ url: SESSION, headers: { cookie: current.session } });
  expect(page.json().code).toBe('auth.session_ended');
  const { body } = await t.owner.call('GET', `/api/v3/audit/logs?action=session.refresh&q=${member.username}`);
  expect(body.items.map(({ outcome }: { outcome: string }) => outcome)).toContain('done');
  expect(JSON.stringify(body)).toContain('refresh_replayed');
  // The user's other session is unaffected.
  expect((await member.call('GET', '/api/v3/profile')).status).toBe(200);
});

it('malformed and unknown refresh tokens end nothing', async () => {
  const member = await t.createMember('viewer');
  const browser = await openBrowser(member);
  for (const token of ['flr_', `flr_${'A'.repeat(43)}`, browser.refresh.slice(0, -1), "flr_' or true --"]) {
    const refresh = `flotilla_refresh=${token.replace('flotilla_refresh=', '')}`;
    expect((await refreshBrowser({ ...browser, refresh })).statusCode, token).toBe(401);
  }
  expect((await refreshBrowser(browser)).statusCode).toBe(200);
});

it('a planted refresh cookie of another session is refused, even if that session is real', async () => {
  const [victim, attacker] = [await t.createMember('viewer'), await t.createMember('viewer')];
  const [own, planted] = [await openBrowser(victim), await openBrowser(attacker)];
  expect((await refreshBrowser({ session: own.session, refresh: planted.refresh })).json().code).toBe(
    'auth.wrong_kind',
  );
  expect((await refreshBrowser({ session: '', refresh: planted.refresh })).json().code).toBe('auth.missing');
  expect((await refreshBrowser(own, { headers: { 'sec-fetch-site': 'cross-site' } })).json().code).toBe(
    'csrf.cross_site',
  );
  expect((await refreshBrowser(own)).statusCode).toBe(200);
});

it('a bearer keeps its refresh token until it asks for another', async () => {
  const member = await t.createMember('viewer');
  const { refresh_token: first } = await signIn(member);
  for (let i = 0; i < 2; i += 1) {
    const kept = await refreshBearer(first);
    expect(kept.status).toBe(200);
    expect(Object.keys(kept.body)).toEqual(['access_token', 'expires_at', 'refresh_expires_at']);
  }
  const second = (await refreshBearer(first, { rotate: true })).body.refresh_token;
  expect(second).toMatch(/^flr_[\w-]{43}$/);
  expect((await refreshBearer(first, { rotate: true })).body.refresh_token).toBe(second);
  await ageSpentTokens(member.userId);
  expect((await refreshBearer(first)).body.code).toBe('auth.refresh_replayed');
  expect((await refreshBearer(second)).body.code).toBe('auth.session_ended');
});

it("an access token does not work as a refresh token, and a browser's not as a bearer's", async () => {
  const member = await t.createMember('viewer');
  const browser = await openBrowser(member);
  const bearer = await signIn(member);
  const browserToken = browser.refresh.replace('flotilla_refresh=', '');
  expect((await refreshBearer(member.token)).body.code).toBe('auth.wrong_kind');
  expect((await refreshBearer(browserToken)).body.code).toBe('auth.wrong_kind');
  const swapped = { ...browser, refresh: `flotilla_refresh=${bearer.refresh_token}` };
  expect((await refreshBrowser(swapped)).json().code).toBe('auth.wrong_kind');
});

it('no refresh token is stored readable in the database', async () => {
  const member = await t.createMember('viewer');
  const { refresh_token: first } = await signIn(member);
  const second = (await refreshBearer(first, { rotate: true })).body.refresh_token;
  const rows = await t.database.db.selectFrom('sessions').selectAll().where('user_id', '=', member.userId).execute();
  const stored = rows.flatMap((row) => Object.values(row)).map((value) => String(value));
  for (const token of [first, second]) expect(stored.some((value) => value.includes(token.slice(4)))).toBe(false);
});
