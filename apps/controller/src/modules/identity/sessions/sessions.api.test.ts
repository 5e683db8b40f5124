import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

async function signIn(username: string, password: string) {
  return t.app.inject({ method: 'POST', url: '/auth/login', payload: { username, password } });
}

function post(url: string, token: string) {
  return t.app.inject({ method: 'POST', url, headers: { authorization: `Bearer ${token}` } });
}

describe('sessions', () => {
  it('answer a wrong password and an unknown user alike', async () => {
    const wrong = await signIn('admin', 'wrong');
    const unknown = await signIn('nobody', 'wrong');
    expect(wrong.statusCode).toBe(401);
    expect(unknown.statusCode).toBe(401);
    expect(wrong.json().code).toBe(unknown.json().code);
  });

  it('end with their access and refresh tokens at logout', async () => {
    const member = await t.createMember('viewer');
    const row = await t.database.db
      .selectFrom('users')
      .select('username')
      .where('id', '=', member.userId)
      .executeTakeFirstOrThrow();
    const session = (await signIn(row.username, 'Correct-Horse-7-Battery')).json();
    expect((await post('/refresh', session.refresh_token)).statusCode).toBe(200);
    // The refresh token of a bearer client stays valid until its session ends.
    expect((await post('/refresh', session.refresh_token)).statusCode).toBe(200);
    expect((await post('/logout', session.access_token)).statusCode).toBe(204);
    expect((await post('/refresh', session.refresh_token)).json().code).toBe('auth.session_ended');
    expect((await post('/logout', session.access_token)).json().code).toBe('auth.session_ended');
  });

  it('accept no access token as a refresh token and no refresh token as an access token', async () => {
    const member = await t.createMember('viewer');
    expect((await post('/refresh', member.token)).json().code).toBe('auth.wrong_kind');
    const row = await t.database.db
      .selectFrom('users')
      .select('username')
      .where('id', '=', member.userId)
      .executeTakeFirstOrThrow();
    const session = (await signIn(row.username, 'Correct-Horse-7-Battery')).json();
    expect((await post('/logout', session.refresh_token)).json().code).toBe('auth.wrong_kind');
  });

  it('return the fields of the account in the contract, and nothing else that is stored', async () => {
    const { username, password } = await t.createMember('viewer');
    const answers = await Promise.all(
      ['/auth/login', '/auth/browser/login'].map((url) =>
        t.app.inject({ method: 'POST', url, payload: { username, password } }),
      ),
    );
    for (const answer of answers) {
      expect(Object.keys(answer.json().user).toSorted()).toEqual(
        ['email', 'id', 'is_owner', 'memberships', 'must_change_password', 'username'].toSorted(),
      );
      expect(answer.body).not.toMatch(/argon2|password_hash|sealed/);
    }
  });

  it('name unknown members of a body', async () => {
    const answer = await t.app.inject({
      method: 'POST',
      url: '/auth/login',
      payload: { username: 'a', password: 'b', extra: 1 },
    });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().details).toEqual([{ path: 'extra', rule: 'unknown', message: 'is not known here' }]);
  });

  it('accept every kind of token in one spelling only (attack 15)', async () => {
    const member = await t.createMember('admin');
    const login = (await signIn(member.username, member.password)).json();
    const made = await member.call('POST', `/api/v3/setting/tokens?project=${t.project}`, {
      name: 'one',
      role: 'viewer',
    });
    const ask = (method: 'GET' | 'POST', url: string, authorization: string) =>
      t.app.inject({ method, url, headers: { authorization } });
    const kinds = [
      ['GET', '/api/v3/profile', login.access_token],
      ['POST', '/refresh', login.refresh_token],
      ['GET', '/api/v3/profile', made.body.token],
    ] as const;
    for (const [method, url, token] of kinds) {
      expect((await ask(method, url, `Bearer ${token}`)).statusCode, url).toBe(200);
      for (const other of spellingsOf(token)) {
        const { statusCode } = await ask(method, url, `Bearer ${other}`);
        expect(statusCode, `${url} ${other}`).toBe(401);
      }
    }
  });
});

/** Other texts that a lenient base64url decoder maps to the same bytes. */
function spellingsOf(token: string): string[] {
  const [start, last] = [token.slice(0, -1), token.slice(-1)];
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const next = alphabet[(alphabet.indexOf(last) ^ 1) % 64] ?? '';
  const standard = token.replace(/[-_](?=[^.]*$)/, (sign) => (sign === '-' ? '+' : '/'));
  return [
    `${token}=`,
    `${token}==`,
    `${token}~`,
    `${start}${next}`,
    `${token}.`,
    ...(standard === token ? [] : [standard]),
  ];
}
