import { isInFamilies, type RouteContract, type RouteFamily } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../testing/controller.ts';
import { expectAdmitted, expectCode, forEach, sendTo } from './testing/matrix.ts';

/** Calls every route with API tokens that are narrower than their role, expired or revoked. */
let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t?.close());

const byToken = (): RouteContract[] =>
  t.controller.routes
    .map(({ contract }) => contract)
    .filter(({ access }) => ['roles', 'authenticated', 'system_owner'].includes(access.kind));

async function makeToken(maker: TestCaller, more: object = {}): Promise<string> {
  const body = { name: `matrix-${createId()}`, role: 'admin', ...more };
  const answer = await maker.call('POST', `/api/v3/setting/tokens?project=${t.project}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return `Bearer ${answer.body.token}`;
}

it.each(['events', 'commands'] as const)(
  'a token with only the scope %s can call no route of another scope',
  async (family) => {
    const families: RouteFamily[] = [family];
    const authorization = await makeToken(t.owner, { families });
    const foreign = byToken().filter((contract) => !isInFamilies(contract, families));
    expect(foreign.length).toBeGreaterThan(100);
    await forEach(foreign, async (contract) =>
      expectCode(await sendTo(t, contract, { authorization }), 403, 'token.scope'),
    );
    const own = byToken().filter((contract) => contract.method === 'GET' && isInFamilies(contract, families));
    expect(own.length).toBeGreaterThan(2);
    await forEach(own, async (contract) => expectAdmitted(await sendTo(t, contract, { authorization })));
  },
);

it.each([
  ['is no member any more', (id: string) => `/api/v3/setting/users/${id}/memberships/${t.project}`],
  ['was deleted', (id: string) => `/api/v3/setting/users/${id}`],
])('a token whose creator %s can call no route', async (_, address) => {
  const maker = await t.createMember('admin');
  const authorization = await makeToken(maker);
  const profile = byToken().filter(({ id }) => id === 'getProfile');
  expect(profile).toHaveLength(1);
  await forEach(profile, async (contract) => expectCode(await sendTo(t, contract, { authorization }), 200));
  expect((await t.owner.call('DELETE', address(maker.userId))).status).toBe(204);
  await forEach(byToken(), async (contract) => expectCode(await sendTo(t, contract, { authorization }), 401));
});
