import { createId, createSilentLogger } from '@flotilla/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FEATURES } from '../../../features.ts';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { forgetOldCommands } from '../../fleet/commands/prune-store.ts';
import { tidy } from './tidy.ts';

let t: TestController;
const DAY_MS = 86_400_000;
const logger = createSilentLogger();
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

it('housekeeping deletes answers after a day and sessions a month after their end, and nothing that still counts', async () => {
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
  expect(await tidy({ db, features: FEATURES, logger }, now)).toEqual([]);
  const keys = await db.selectFrom('idempotency_keys').select('key').execute();
  expect(keys).toEqual([{ key: 'key-new' }]);
  const sessions = await db.selectFrom('sessions').select('user_id').execute();
  const users = sessions.map((row) => row.user_id);
  expect(users).not.toContain(gone.userId);
  expect(users).toEqual(expect.arrayContaining([t.owner.userId, ended.userId]));
  expect((await t.owner.call('GET', '/api/v3/profile')).status).toBe(200);
});

it('housekeeping deletes questions an hour and other commands 90 days after their end, and no unfinished one', async () => {
  const { db } = t.database;
  const now = new Date();
  const before = (ms: number) => new Date(now.getTime() - ms);
  const HOUR_MS = 3_600_000;
  const insert = async (name: string, kind: 'query' | 'action' | 'desired', endedAt: Date | null) => {
    await db
      .insertInto('commands')
      .values({
        id: createId(),
        project_id: t.project,
        client_id: createId(),
        client_name: name,
        type: 'SERVICE',
        sub_type: '',
        operation: '',
        kind,
        fence: 1,
        payload: '{}',
        status: endedAt ? 'done' : 'running',
        timeout_ms: 1,
        created_by: 'test',
        created_at: before(200 * DAY_MS),
        finished_at: endedAt,
      })
      .execute();
  };
  for (let i = 0; i < 5; i += 1) await insert('old question', 'query', before(1.1 * HOUR_MS));
  await insert('new question', 'query', before(0.9 * HOUR_MS));
  await insert('open question', 'query', null);
  for (let i = 0; i < 5; i += 1) await insert('old action', 'action', before(90.1 * DAY_MS));
  await insert('new action', 'action', before(89 * DAY_MS));
  await insert('open change', 'desired', null);
  await forgetOldCommands(db, now, 2);
  const names = async () => {
    const rows = await db.selectFrom('commands').select('client_name').orderBy('client_name').execute();
    return rows.map((row) => row.client_name);
  };
  const kept = ['new action', 'new question', 'open change', 'open question'];
  expect(await names()).toEqual(kept);
  expect(await tidy({ db, features: FEATURES, logger }, new Date(now.getTime() + HOUR_MS))).toEqual([]);
  expect(await names()).toEqual(kept.filter((name) => name !== 'new question'));
});
