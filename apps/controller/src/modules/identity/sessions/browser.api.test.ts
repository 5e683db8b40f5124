import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createTestController,
  type TestBrowser,
  type TestCaller,
  type TestController,
} from '../../../testing/controller.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

const LOGIN = '/auth/browser/login';
const SESSION = '/auth/browser/session';
const LOGOUT = '/auth/browser/logout';
/** A write that every signed-in user may make; the dry run changes nothing. */
const WRITE = '/api/v3/profile/sessions?dry_run=true';

function login(
  { username, password }: Pick<TestCaller, 'username' | 'password'>,
  headers: Record<string, string> = {},
) {
  return t.app.inject({ method: 'POST', url: LOGIN, payload: { username, password }, headers });
}

/** Writes with the cookie and the given CSRF token. */
async function write(browser: TestBrowser, headers: Record<string, string>) {
  return browser.call('DELETE', WRITE, undefined, { 'x-csrf-token': '', ...headers });
}

async function listAudit(query: string) {
  return (await t.owner.call('GET', `/api/v3/audit/logs?${query}`)).body.items;
}

describe('signing in from a browser', () => {
  it('puts the session into a cookie that scripts cannot read, and no token into the answer', async () => {
    const answer = await login(t.owner);
    expect(answer.statusCode).toBe(200);
    const [session = '', refresh = ''] = [answer.headers['set-cookie'] ?? []].flat();
    const [cookie = '', ...attributes] = session.split('; ');
    expect(refresh).toMatch(
      /^flotilla_refresh=flr_[\w-]{43}; Max-Age=2592000; Path=\/auth\/browser; HttpOnly; SameSite=Strict$/,
    );
    expect(cookie).toMatch(/^flotilla_session=[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(attributes.toSorted()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Strict']);
    expect(Object.keys(answer.json())).toEqual(['user', 'csrf_token', 'expires_at']);
    expect(answer.body).not.toContain(cookie.slice('flotilla_session='.length));
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('over https only accepts a cookie of this exact host', async () => {
    const behind = await createTestController({ SVC_TRUSTED_PROXIES: '1' });
    try {
      const headers = { 'x-forwarded-proto': 'https' };
      const { username, password } = behind.owner;
      const payload = { username, password };
      const answer = await behind.app.inject({ method: 'POST', url: LOGIN, payload, headers });
      const [session = '', refresh = ''] = [answer.headers['set-cookie'] ?? []].flat();
      const [cookie = '', ...attributes] = session.split('; ');
      expect(refresh).toMatch(/^__Secure-flotilla_refresh=.*; Secure/);
      expect(cookie).toMatch(/^__Host-flotilla_session=/);
      expect(attributes).toContain('Secure');
      const ask = (sent: string) => behind.app.inject({ url: SESSION, headers: { ...headers, cookie: sent } });
      expect((await ask(cookie)).statusCode).toBe(200);
      expect((await ask(cookie.replace('__Host-', ''))).json().code).toBe('auth.missing');
    } finally {
      await behind.close();
    }
  });

  it('only trusts configured proxies about https', async () => {
    const answer = await login(t.owner, { 'x-forwarded-proto': 'https' });
    expect(String(answer.headers['set-cookie'])).toMatch(/^flotilla_session=/);
    expect(String(answer.headers['set-cookie'])).not.toContain('Secure');
  });

  it('returns the identity and its projects: every project for owners of the installation, as in the profile', async () => {
    const other = await t.createProject('another');
    const member = await t.createMember('editor', other);
    const mine = (await login(member)).json().user;
    expect(mine).toMatchObject({ username: member.username, is_owner: false });
    expect(mine.memberships).toEqual([{ project: other, project_name: 'another', role: 'editor' }]);
    const owner = (await login(t.owner)).json().user;
    expect(owner.memberships).toEqual([
      { project: other, project_name: 'another', role: 'owner' },
      { project: t.project, project_name: 'default', role: 'owner' },
    ]);
    const browser = await t.openBrowser(t.owner);
    expect((await browser.call('GET', SESSION)).body).toMatchObject({ user: owner, csrf_token: browser.csrfToken });
    expect((await browser.call('GET', '/api/v3/profile')).body).toMatchObject(owner);
  });

  it('is refused, slowed down and recorded like POST /auth/login', async () => {
    const member = await t.createMember('viewer');
    const wrong = { username: member.username, password: 'wrong' };
    const codes: string[] = [];
    for (let i = 0; i < 7; i += 1) {
      const url = i % 2 === 0 ? LOGIN : '/auth/login';
      codes.push((await t.app.inject({ method: 'POST', url, payload: wrong })).json().code);
    }
    expect(codes.slice(0, 5)).toEqual(Array(5).fill('auth.wrong_credentials'));
    expect(codes.at(-1)).toBe('auth.throttled');
    expect((await login(member)).json().code).toBe('auth.throttled');
    const records = await listAudit(`action=session.login&outcome=denied&q=${member.username}`);
    expect(records).toHaveLength(8);
    const fine = await t.createMember('viewer');
    await t.openBrowser(fine);
    expect(await listAudit(`action=session.login&outcome=done&q=${fine.username}`)).toHaveLength(2);
  });

  it('is not possible from a page of another site, or by a form', async () => {
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example.com' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' },
    ];
    for (const headers of foreign) {
      const answer = await login(t.owner, headers);
      expect(answer.json().code, JSON.stringify(headers)).toBe('csrf.cross_site');
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    const form = await t.app.inject({
      method: 'POST',
      url: LOGIN,
      payload: `username=${t.owner.username}&password=${t.owner.password}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(form.json().code).toBe('request.media_type');
  });
});

describe('the session of a browser', () => {
  it('does not exist without the cookie, and asking for it does not count as a refused attempt', async () => {
    const before = (await listAudit('outcome=denied&limit=1000')).length;
    const answer = await t.app.inject({ url: SESSION });
    expect(answer.statusCode).toBe(401);
    expect(answer.json().code).toBe('auth.missing');
    expect(await listAudit('outcome=denied&limit=1000')).toHaveLength(before);
    await t.app.inject({ url: SESSION, headers: { cookie: 'flotilla_session=rubbish' } });
    expect(await listAudit('outcome=denied&limit=1000')).toHaveLength(before + 1);
  });

  it('changes nothing without its own CSRF token', async () => {
    const member = await t.createMember('viewer');
    const [here, elsewhere] = [await t.openBrowser(member), await t.openBrowser(member)];
    const stranger = await t.openBrowser(t.owner);
    expect(here.csrfToken).not.toBe(elsewhere.csrfToken);
    for (const given of ['', 'rubbish', elsewhere.csrfToken, stranger.csrfToken, `${here.csrfToken}x`]) {
      const answer = await write(here, { 'x-csrf-token': given });
      expect(answer, given).toMatchObject({ status: 403, body: { code: 'csrf.invalid' } });
    }
    expect((await write(here, { 'x-csrf-token': here.csrfToken })).status).toBe(200);
    const [record] = await listAudit(`outcome=denied&limit=1`);
    expect(record).toMatchObject({ action: 'session.end', actor: { id: member.userId } });
  });

  it('does nothing for a page of another site, and everything for its own', async () => {
    const browser = await t.openBrowser(t.owner);
    const token = { 'x-csrf-token': browser.csrfToken };
    const own = { host: 'fleet.example.com', ...token };
    const refused: Record<string, string>[] = [
      { origin: 'https://evil.example.com' },
      { origin: 'https://fleet.example.com.evil.example.com' },
      { origin: 'https://fleet.example.com:8443' },
      { origin: 'null' },
      { origin: 'null', host: '[' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example.com' },
    ];
    for (const headers of refused) {
      const answer = await write(browser, { ...own, ...headers });
      expect(answer, JSON.stringify(headers)).toMatchObject({ status: 403, body: { code: 'csrf.cross_site' } });
    }
    const taken: Record<string, string>[] = [
      { origin: 'http://fleet.example.com', 'sec-fetch-site': 'same-origin' },
      { origin: 'https://fleet.example.com' },
      { host: 'fleet.example.com:8099', origin: 'http://fleet.example.com:8099' },
      { 'sec-fetch-site': 'none' },
    ];
    for (const headers of taken) expect((await write(browser, { ...own, ...headers })).status).toBe(200);
  });

  it('is overridden by an Authorization header, valid or not', async () => {
    const browser = await t.openBrowser(t.owner);
    const member = await t.createMember('viewer');
    const asMember = { authorization: `Bearer ${member.token}`, 'x-csrf-token': '' };
    expect((await browser.call('GET', '/api/v3/profile', undefined, asMember)).body.username).toBe(member.username);
    expect((await write(browser, asMember)).status).toBe(200);
    for (const authorization of ['Bearer rubbish', 'Basic YTpi', ''])
      expect((await browser.call('GET', '/api/v3/profile', undefined, { authorization })).status).toBe(401);
  });

  it('ends at logout, and the cookie is deleted', async () => {
    const browser = await t.openBrowser(t.owner);
    expect((await browser.call('POST', LOGOUT, undefined, { 'x-csrf-token': '' })).body.code).toBe('csrf.invalid');
    const answer = await browser.call('POST', LOGOUT);
    expect(answer.status).toBe(204);
    expect(String(answer.headers['set-cookie'])).toMatch(/^flotilla_session=; Max-Age=0; Path=\/; HttpOnly/);
    expect((await browser.call('GET', SESSION)).body.code).toBe('auth.session_ended');
    expect((await listAudit('action=session.logout&limit=1'))[0]).toMatchObject({ actor: { id: t.owner.userId } });
  });

  it.each<[string, (member: TestCaller) => Promise<unknown>]>([
    ['ended from another session', (member) => member.call('DELETE', '/api/v3/profile/sessions')],
    [
      'the password is changed in another session',
      (member) =>
        member.call('PUT', '/api/v3/profile/password', {
          current_password: member.password,
          new_password: 'aNother-Fine-One-77',
        }),
    ],
    [
      'the account is switched off',
      (member) => t.owner.call('PATCH', `/api/v3/setting/users/${member.userId}`, { active: false }),
    ],
    [
      'it has lasted as long as it may',
      (member) =>
        t.database.db
          .updateTable('sessions')
          .set({ expires_at: new Date(Date.now() - 1000) })
          .where('user_id', '=', member.userId)
          .execute(),
    ],
  ])('ends when %s', async (_, end) => {
    const member = await t.createMember('viewer');
    const browser = await t.openBrowser(member);
    expect((await browser.call('GET', SESSION)).status).toBe(200);
    await end(member);
    // A direct change in the database takes effect within half a second.
    await vi.waitFor(async () => expect((await browser.call('GET', SESSION)).body.code).toBe('auth.session_ended'));
    expect((await browser.call('DELETE', WRITE)).body.code).toBe('auth.session_ended');
  });

  it('survives a change of the password that was made in it', async () => {
    const browser = await t.openBrowser(await t.createMember('viewer'));
    const body = { current_password: 'Correct-Horse-7-Battery', new_password: 'aNother-Fine-One-77' };
    expect((await browser.call('PUT', '/api/v3/profile/password', body)).status).toBe(204);
    expect((await browser.call('GET', SESSION)).body.csrf_token).toBe(browser.csrfToken);
  });

  it("counts towards its user's rate limit, like an access token", async () => {
    const limited = await createTestController({}, { rateFactor: 0.1 });
    try {
      const browser = await limited.openBrowser(limited.owner);
      for (let i = 0; i < 100; i += 1) await browser.call('GET', '/api/v3/profile');
      const { headers } = await limited.owner.call('GET', '/api/v3/profile');
      const left = /^"read";r=(\d+);/.exec(String(headers.ratelimit))?.[1];
      // The allowance of 300 refills at five per second while the test runs.
      expect(Number(left)).toBeLessThan(290);
    } finally {
      await limited.close();
    }
  });
});
