import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

const PASSWORD = 'wL9v2nTq0xYbEoHj';
const NEW_PASSWORD = 'aNother-Fine-One-77';
let counter = 0;

async function createUser(): Promise<string> {
  counter += 1;
  const username = `person-${counter}`;
  const answer = await t.owner.call('POST', '/api/v3/setting/users', { username, password: PASSWORD });
  expect(answer.status).toBe(201);
  const first = { current_password: PASSWORD, new_password: `${PASSWORD}!` };
  const { access_token } = await signIn(username);
  await as(access_token, 'PUT', '/api/v3/profile/password', first);
  const back = { current_password: first.new_password, new_password: PASSWORD };
  expect((await as(access_token, 'PUT', '/api/v3/profile/password', back)).statusCode).toBe(204);
  expect((await as(access_token, 'POST', '/logout')).statusCode).toBe(204);
  return username;
}

async function signIn(username: string, password = PASSWORD) {
  const answer = await t.app.inject({ method: 'POST', url: '/auth/login', payload: { username, password } });
  return { status: answer.statusCode, ...answer.json() };
}

function as(token: string, method: 'GET' | 'PUT' | 'DELETE' | 'POST', url: string, payload?: object) {
  return t.app.inject({ method, url, headers: { authorization: `Bearer ${token}` }, ...(payload && { payload }) });
}

describe("the caller's own password", () => {
  it('is changed with the current one, and every other session ends with its access and refresh tokens', async () => {
    const username = await createUser();
    const [here, there] = [await signIn(username), await signIn(username)];
    const change = (current_password: string, new_password: string) =>
      as(here.access_token, 'PUT', '/api/v3/profile/password', { current_password, new_password });
    expect((await change('wrong', NEW_PASSWORD)).json().code).toBe('password.wrong');
    expect((await change(PASSWORD, 'short')).json().code).toBe('password.weak');
    expect((await change(PASSWORD, `${username}-and-more`)).json().code).toBe('password.weak');
    expect((await as(there.access_token, 'GET', '/api/v3/profile')).statusCode).toBe(200);
    expect((await change(PASSWORD, NEW_PASSWORD)).statusCode).toBe(204);
    expect((await as(there.access_token, 'GET', '/api/v3/profile')).json().code).toBe('auth.session_ended');
    expect((await as(there.refresh_token, 'POST', '/refresh')).json().code).toBe('auth.session_ended');
    expect((await as(here.access_token, 'GET', '/api/v3/profile')).statusCode).toBe(200);
    expect((await as(here.refresh_token, 'POST', '/refresh')).statusCode).toBe(200);
    expect((await signIn(username)).status).toBe(401);
    expect((await signIn(username, NEW_PASSWORD)).status).toBe(200);
  });

  it('cannot be guessed with a stolen access token', async () => {
    const username = await createUser();
    const session = await signIn(username);
    const codes: string[] = [];
    for (let i = 0; i < 8; i += 1) {
      const answer = await as(session.access_token, 'PUT', '/api/v3/profile/email', {
        email: 'thief@example.com',
        current_password: `guess-${i}`,
      });
      codes.push(answer.json().code);
      // The first wait is one second; it is extended to an hour so that a slow machine does not miss it.
      await t.database.db
        .updateTable('sign_in_attempts')
        .set({ blocked_until: new Date(Date.now() + 3_600_000) })
        .whereRef('blocked_until', '>', 'last_at')
        .execute();
    }
    expect(codes.slice(0, 5)).toEqual(Array(5).fill('password.wrong'));
    expect(codes.slice(5)).toEqual(Array(3).fill('auth.throttled'));
  });
});

describe("the caller's own sessions", () => {
  it('are listed and ended one by one, or all others at once', async () => {
    const username = await createUser();
    const [a, b, c] = [await signIn(username), await signIn(username), await signIn(username)];
    const listed = (await as(a.access_token, 'GET', '/api/v3/profile/sessions')).json().items;
    expect(listed).toHaveLength(3);
    expect(listed.filter((session: { current: boolean }) => session.current)).toHaveLength(1);
    const current = (await as(b.access_token, 'GET', '/api/v3/profile')).json().session;
    const dry = await as(a.access_token, 'DELETE', '/api/v3/profile/sessions?dry_run=true');
    expect(dry.json()).toMatchObject({ dry_run: true });
    expect((await as(a.access_token, 'GET', '/api/v3/profile/sessions')).json().items).toHaveLength(listed.length);
    expect((await as(a.access_token, 'DELETE', `/api/v3/profile/sessions/${current}`)).statusCode).toBe(204);
    expect((await as(b.access_token, 'GET', '/api/v3/profile')).statusCode).toBe(401);
    expect((await as(a.access_token, 'DELETE', '/api/v3/profile/sessions')).statusCode).toBe(204);
    expect((await as(c.access_token, 'GET', '/api/v3/profile')).statusCode).toBe(401);
    expect((await as(a.access_token, 'GET', '/api/v3/profile')).statusCode).toBe(200);
  });

  it('do not include those of others, which cannot be ended', async () => {
    const [mine, theirs] = [await signIn(await createUser()), await signIn(await createUser())];
    const id = (await as(theirs.access_token, 'GET', '/api/v3/profile')).json().session;
    expect((await as(mine.access_token, 'DELETE', `/api/v3/profile/sessions/${id}`)).statusCode).toBe(404);
    expect((await as(theirs.access_token, 'GET', '/api/v3/profile')).statusCode).toBe(200);
  });
});
