import type { RouteContract } from '@flotilla/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectCode, forEach, sendTo } from '../../../platform/http/testing/matrix.ts';
import { createTestController, type TestController } from '../../../testing/controller.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

const GIVEN = 'wL9v2nTq0xYbEoHj';
const OWN = 'aNother-Fine-One-77';
let counter = 0;

async function makeUser(fields: Record<string, unknown> = {}) {
  counter += 1;
  const username = `newcomer-${counter}`;
  const memberships = [{ project: t.project, role: 'admin' }];
  const body = { username, password: GIVEN, memberships, ...fields };
  const answer = await t.owner.call('POST', '/api/v3/setting/users', body);
  expect(answer.status).toBe(201);
  return { id: answer.body.id as string, username };
}

async function post(url: string, body: object, headers: Record<string, string> = {}) {
  const answer = await t.app.inject({ method: 'POST', url, payload: body, headers });
  return { status: answer.statusCode, body: answer.json(), cookie: String(answer.headers['set-cookie']) };
}

const logIn = (username: string, password = GIVEN) => post('/auth/login', { username, password });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function send(method: 'GET' | 'PUT' | 'POST' | 'PATCH', url: string, headers: object, body?: object) {
  const answer = await t.app.inject({ method, url, headers: { ...headers }, ...(body && { payload: body }) });
  return { status: answer.statusCode, code: answer.body === '' ? undefined : answer.json().code };
}

const change = (headers: object, current_password: string, new_password: string) =>
  send('PUT', '/api/v3/profile/password', headers, { current_password, new_password });

describe('a password that an administrator chose', () => {
  it('only gives access to its own change, the profile and signing out, on every route', async () => {
    const { username } = await makeUser({ is_owner: true });
    const { body } = await logIn(username);
    expect(body.user).toMatchObject({ username, must_change_password: true });
    const closed = t.controller.routes
      .map(({ contract }) => contract)
      .filter(
        ({ access, beforeNewPassword }) =>
          ['roles', 'system_owner', 'authenticated'].includes(access.kind) && !beforeNewPassword,
      );
    expect(closed.length).toBeGreaterThan(100);
    const authorization = `Bearer ${body.access_token}`;
    await forEach(closed, async (contract) =>
      expectCode(await sendTo(t, contract, { authorization, project: t.project }), 403, 'password.change_required'),
    );
  });

  it('leaves exactly the decided routes open', () => {
    const isOpen = ({ beforeNewPassword }: RouteContract) => beforeNewPassword === true;
    const open = t.controller.routes.map(({ contract }) => contract).filter(isOpen);
    expect(open.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
      'GET /api/v3/profile',
      'GET /auth/browser/session',
      'POST /auth/browser/logout',
      'POST /auth/browser/refresh',
      'POST /logout',
      'POST /refresh',
      'PUT /api/v3/profile/password',
    ]);
  });

  it('gives access to everything as soon as it is changed, for the existing tokens', async () => {
    const { username } = await makeUser();
    const { access_token, refresh_token } = (await logIn(username)).body;
    const projects = () => send('GET', '/api/v3/profile/otp/status', bearer(access_token));
    expect(await projects()).toEqual({ status: 403, code: 'password.change_required' });
    expect((await send('POST', '/refresh', bearer(refresh_token))).status).toBe(200);
    expect(await change(bearer(access_token), GIVEN, GIVEN)).toEqual({ status: 400, code: 'password.weak' });
    expect(await change(bearer(access_token), 'wrong', OWN)).toEqual({ status: 403, code: 'password.wrong' });
    expect(await projects()).toEqual({ status: 403, code: 'password.change_required' });
    expect((await change(bearer(access_token), GIVEN, OWN)).status).toBe(204);
    expect((await projects()).status).toBe(200);
    expect((await logIn(username, OWN)).body.user.must_change_password).toBe(false);
  });

  it('restricts a browser session in the same way', async () => {
    const { username } = await makeUser();
    const login = await post('/auth/browser/login', { username, password: GIVEN });
    expect(login.body.user.must_change_password).toBe(true);
    const headers = { cookie: login.cookie.split(';', 1)[0] ?? '', 'x-csrf-token': login.body.csrf_token };
    expect(await send('GET', '/api/v3/profile/otp/status', headers)).toEqual({
      status: 403,
      code: 'password.change_required',
    });
    expect((await change(headers, GIVEN, OWN)).status).toBe(204);
    expect((await send('GET', '/api/v3/profile/otp/status', headers)).status).toBe(200);
    const session = await t.app.inject({ url: '/auth/browser/session', headers });
    expect(session.json().user.must_change_password).toBe(false);
  });

  it('must be changed again each time somebody else sets it', async () => {
    const { id, username } = await makeUser();
    await change(bearer((await logIn(username)).body.access_token), GIVEN, OWN);
    const before = (await logIn(username, OWN)).body;
    const reset = await t.owner.call('PATCH', `/api/v3/setting/users/${id}`, { password: GIVEN });
    expect(reset.status).toBe(200);
    expect(await send('GET', '/api/v3/profile', bearer(before.access_token))).toEqual({
      status: 401,
      code: 'auth.session_ended',
    });
    expect((await logIn(username)).body.user.must_change_password).toBe(true);
  });

  it('need not be changed if other data of the account change', async () => {
    const { id, username } = await makeUser();
    const { access_token } = (await logIn(username)).body;
    await change(bearer(access_token), GIVEN, OWN);
    await t.owner.call('PATCH', `/api/v3/setting/users/${id}`, { email: 'n@example.com' });
    expect((await logIn(username, OWN)).body.user.must_change_password).toBe(false);
  });
});

it('the first owner, whose password was generated at the start and shown once, has access at once', async () => {
  const { body } = await logIn(t.owner.username, t.owner.password);
  expect(body.user.must_change_password).toBe(false);
});
