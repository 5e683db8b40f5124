import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';
import { SignInAttempts } from './attempt-store.ts';
import { DEFAULT_RULES } from './sign-in-policy.ts';

const BLOCKS = '/api/v3/setting/sign-in-blocks';

let t: TestController;
let member: TestCaller;
beforeAll(async () => {
  t = await createTestController();
  member = await t.createMember('admin');
});
afterAll(() => t.close());

const signIn = async (remoteAddress: string, username: string, password = 'wrong') => {
  const payload = { username, password };
  return (await t.app.inject({ method: 'POST', url: '/auth/login', remoteAddress, payload })).json().code;
};

async function tryMany(address: string): Promise<void> {
  const attempts = new SignInAttempts(t.database.db, { rules: DEFAULT_RULES });
  for (let i = 0; i < 100; i += 1) await attempts.begin(`nobody-${i}`, address, new Date());
  // Independent of the time that the machine took.
  await t.database.db
    .updateTable('sign_in_attempts')
    .set({ blocked_until: new Date(Date.now() + 600_000) })
    .where('failures', '>=', 100)
    .execute();
}

it('an owner sees the locked addresses that tried many accounts, and unlocks one of them', async () => {
  const [office, other] = ['198.51.100.7', '2001:db8:0:7:1:2:3:4'];
  for (const address of [office, other]) await tryMany(address);
  await signIn('203.0.113.9', 'nobody');
  expect(await signIn(office, member.username, member.password)).toBe('auth.throttled');
  const { items } = (await t.owner.call('GET', BLOCKS)).body;
  expect(items).toEqual(
    ['2001:db8:0:7::', office].map((address) => ({
      address,
      failures: 100,
      last_at: expect.stringMatching('Z$'),
      waits_until: expect.stringMatching('Z$'),
    })),
  );
  expect((await t.owner.call('DELETE', `${BLOCKS}/${office}`)).status).toBe(204);
  expect(await signIn(office, member.username, member.password)).toBeUndefined();
  expect(await signIn(other, member.username, member.password)).toBe('auth.throttled');
  // Any address of the network identifies it.
  expect((await t.owner.call('DELETE', `${BLOCKS}/${encodeURIComponent(other)}`)).status).toBe(204);
  expect(await signIn(other, member.username, member.password)).toBeUndefined();
  expect((await t.owner.call('GET', BLOCKS)).body.items).toEqual([]);
  const entries = (await t.owner.call('GET', '/api/v3/audit/logs?action=sign_in_block.delete')).body.items;
  expect(entries).toHaveLength(2);
});

it('nobody else can unlock an address: an admin who tries passwords could otherwise continue', async () => {
  for (const [method, path] of [
    ['GET', BLOCKS],
    ['DELETE', `${BLOCKS}/198.51.100.8`],
  ] as const)
    expect((await member.call(method, path)).status, method).toBe(403);
  expect((await t.owner.call('DELETE', `${BLOCKS}/198.51.100.8`)).body.code).toBe('record.not_found');
});
