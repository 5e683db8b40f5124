import type { RouteContract } from '@flotilla/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../testing/controller.ts';
import { expectAdmitted, expectCode, forEach, name, sendTo } from './testing/matrix.ts';

/** Calls every route with the session cookie of a browser and derives the expected result from the declaration. */
let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

const guarded = () =>
  t.controller.routes.map(({ contract }) => contract).filter(({ access }) => access.kind !== 'public');

describe('tokens of one kind', () => {
  it('include access tokens, which are refused where the cookie is required', async () => {
    const routes = guarded().filter(({ access }) => access.kind === 'cookie');
    expect(routes.map(name)).toEqual(['GET /auth/browser/session', 'POST /auth/browser/logout']);
    await forEach(routes, async (contract) =>
      expectCode(await sendTo(t, contract, { authorization: `Bearer ${t.owner.token}` }), 401, 'auth.wrong_kind'),
    );
  });

  it('include browser session tokens, which are refused as bearers, and other tokens are refused as cookies', async () => {
    const { cookie } = await t.openBrowser(t.owner);
    const browserToken = cookie.slice(cookie.indexOf('=') + 1);
    const { username, password } = t.owner;
    const payload = { username, password };
    const login = (await t.app.inject({ method: 'POST', url: '/auth/login', payload })).json();
    const tokenBody = { name: 'no-cookie', role: 'owner' };
    const apiToken = await t.owner.call('POST', `/api/v3/setting/tokens?project=${t.project}`, tokenBody);
    const strangers = [t.owner.token, login.refresh_token, apiToken.body.token];
    await forEach(guarded(), async (contract) => {
      const asBearer = expectCode(
        await sendTo(t, contract, { authorization: `Bearer ${browserToken}` }),
        401,
        'auth.wrong_kind',
      );
      if (asBearer !== undefined || contract.access.kind.endsWith('refresh')) return asBearer;
      for (const token of strangers) {
        const answer = await sendTo(t, contract, { headers: { cookie: `flotilla_session=${token}` } });
        const problem = expectCode(answer, 401, 'auth.wrong_kind');
        if (problem !== undefined) return problem;
      }
      return undefined;
    });
  });
});

describe('with a session cookie', () => {
  const isUnsafe = ({ method }: RouteContract) => method !== 'GET';
  const open = () => guarded().filter(({ access, id }) => !access.kind.endsWith('refresh') && id !== 'browserLogout');

  it('everything is open that an access token opens, and writes also need the CSRF token', async () => {
    const { cookie, csrfToken } = await t.openBrowser(t.owner);
    // These end the test's session, or the owner's session that other tests use.
    const routes = open().filter(({ id }) => id !== 'logout' && id !== 'endOtherSessions');
    await forEach(routes, async (contract) => {
      const bare = await sendTo(t, contract, { headers: { cookie } });
      const withToken = { cookie, 'x-csrf-token': csrfToken };
      return isUnsafe(contract)
        ? (expectCode(bare, 403, 'csrf.invalid') ?? expectAdmitted(await sendTo(t, contract, { headers: withToken })))
        : expectAdmitted(bare);
    });
  });

  it('nothing is changed for a page of another site, even with the CSRF token', async () => {
    const { cookie, csrfToken } = await t.openBrowser(t.owner);
    const headers = { cookie, 'x-csrf-token': csrfToken, origin: 'https://evil.example.com' };
    await forEach(open().filter(isUnsafe), async (contract) =>
      expectCode(await sendTo(t, contract, { headers }), 403, 'csrf.cross_site'),
    );
  });

  it('no new access tokens are issued', async () => {
    const { cookie, csrfToken } = await t.openBrowser(t.owner);
    const headers = { cookie, 'x-csrf-token': csrfToken };
    await forEach(
      guarded().filter(({ access }) => access.kind === 'refresh'),
      async (contract) => expectCode(await sendTo(t, contract, { headers }), 401, 'auth.missing'),
    );
  });
});
