import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { listSamples, takeSample } from './store.ts';

const URL = '/api/v3/setting/storage-stats';
let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

it('owners of the installation see the size of every table, and nobody else does', async () => {
  const { status, body } = await t.owner.call('GET', URL);
  expect(status).toBe(200);
  const users = body.database.tables.find(({ name }: { name: string }) => name === 'users');
  expect(users.bytes).toBeGreaterThan(0);
  expect(body.database.total_bytes).toBeGreaterThan(body.database.data_bytes);
  expect(body.disk.free_bytes).toBeLessThanOrEqual(body.disk.total_bytes);
  const chief = await t.createMember('owner');
  expect((await chief.call('GET', URL)).body.code).toBe('owner.required');
});

it('the forecast uses samples of a day, one per hour for all controllers', async () => {
  const { db } = t.database;
  // The controller takes its first sample on its own.
  await vi.waitFor(async () => expect(await listSamples(db)).toHaveLength(1));
  await db.deleteFrom('storage_samples').execute();
  const now = Date.now();
  expect((await t.owner.call('GET', URL)).body.growth).toBeNull();
  await db
    .insertInto('storage_samples')
    .values([0, 12, 25].map((hours) => ({ at: new Date(now - hours * 3_600_000), bytes: 1e9 - hours * 1e6 })))
    .execute();
  const { body } = await t.owner.call('GET', URL);
  expect(body.growth).toMatchObject({ per_hour_bytes: 1e6, per_day_bytes: 24e6 });
  expect(body.growth.days_until_full).toBeCloseTo(body.disk.free_bytes / 24e6, 0);
  await takeSample(db, new Date(now + 60_000));
  expect(await listSamples(db)).toHaveLength(3);
  await takeSample(db, new Date(now + 8 * 86_400_000));
  expect(await listSamples(db)).toHaveLength(1);
});
