import { createSilentLogger } from '@flotilla/kit';
import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { publish } from './outbox.ts';
import { type OutboxEvent, type OutboxReader, openOutboxReader } from './outbox-reader.ts';

let database: TestDatabase;
let reader: OutboxReader;
const heard: OutboxEvent[] = [];

beforeAll(async () => {
  database = await createTestDatabase({});
  reader = await openOutboxReader({
    database,
    logger: createSilentLogger(),
    onEvents: async (events) => {
      heard.push(...events);
    },
    onLost: async () => undefined,
  });
});
afterAll(async () => {
  await reader.close();
  await database.close();
});

const numbers = () => heard.map(({ payload }) => (payload as { n: number }).n).sort((a, b) => a - b);

it('the reader delivers every committed change once, even if a lower number is committed after a higher one', async () => {
  const release = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const slow = database.db.transaction().execute(async (tx) => {
    await publish(tx, 'test', { n: 0 }, new Date());
    began.resolve();
    await release.promise;
  });
  await began.promise;
  await Promise.all(
    [1, 2, 3, 4].map((n) => database.db.transaction().execute((tx) => publish(tx, 'test', { n }, new Date()))),
  );
  await vi.waitFor(() => expect(numbers()).toEqual([1, 2, 3, 4]));
  release.resolve();
  await slow;
  await vi.waitFor(() => expect(numbers()).toEqual([0, 1, 2, 3, 4]));
});

it('the reader does not deliver rolled-back changes', async () => {
  const before = heard.length;
  await database.db
    .transaction()
    .execute(async (tx) => {
      await publish(tx, 'test', { n: 99 }, new Date());
      throw new Error('no');
    })
    .catch(() => undefined);
  await database.db.transaction().execute((tx) => publish(tx, 'test', { n: 5 }, new Date()));
  await vi.waitFor(() => expect(heard.length).toBe(before + 1));
  expect(numbers()).toEqual([0, 1, 2, 3, 4, 5]);
});
