import { afterAll, beforeAll, expect, it } from 'vitest';
import { tidy } from './housekeeping.ts';
import { createTestController, type TestController } from './test-controller.ts';

let t: TestController;
const DAY_MS = 86_400_000;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

it('takes away answers after a day and sessions a month after their end, and nothing that still counts', async () => {
  const { db } = t.database;
  const create = (name: string) =>
    t.owner.call('POST', '/api/v3/setting/projects', { name }, { 'idempotency-key': `key-${name}` });
  await create('old');
  await create('new');
  const now = new Date();
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS);
  await db
    .updateTable('idempotency_keys')
    .set({ created_at: before(1.1) })
    .where('key', '=', 'key-old')
    .execute();
  const gone = await t.createMember('viewer');
  const ended = await t.createMember('viewer');
  await db
    .updateTable('sessions')
    .set({ ended_at: before(31) })
    .where('user_id', '=', gone.userId)
    .execute();
  await db
    .updateTable('sessions')
    .set({ ended_at: before(29) })
    .where('user_id', '=', ended.userId)
    .execute();
  await tidy(db, now);
  const keys = await db.selectFrom('idempotency_keys').select('key').execute();
  expect(keys).toEqual([{ key: 'key-new' }]);
  const sessions = await db.selectFrom('sessions').select('user_id').execute();
  const users = sessions.map((row) => row.user_id);
  expect(users).not.toContain(gone.userId);
  expect(users).toEqual(expect.arrayContaining([t.owner.userId, ended.userId]));
  expect((await t.owner.call('GET', '/api/v3/profile')).status).toBe(200);
});
