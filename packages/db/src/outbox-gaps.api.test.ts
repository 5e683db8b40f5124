import { createSilentLogger, type Logger } from '@flotilla/kit';
import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { publish } from './outbox.ts';
import { openOutboxReader } from './outbox-reader.ts';

/** Transactions in other databases of the server also delay the horizon. */
const LONG = { timeout: 90_000 };

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({});
});
afterAll(() => database.close());

async function openReader({
  onLost = async () => undefined,
  onEvents = async () => undefined,
}: {
  onLost?: () => Promise<void>;
  onEvents?: () => Promise<void>;
} = {}) {
  const logger: Logger = createSilentLogger();
  const warn = vi.spyOn(logger, 'warn');
  const heard: number[] = [];
  const lost = vi.fn(onLost);
  const reader = await openOutboxReader({
    database,
    logger,
    onEvents: async (events) => {
      await onEvents();
      heard.push(...events.map(({ payload }) => (payload as { n: number }).n));
    },
    onLost: lost,
    timing: { checkMs: 20, retryMs: 20 },
  });
  onTestFinished(() => reader.close());
  const countWarnings = (message: string) => warn.mock.calls.filter((call) => call.at(1) === message).length;
  return { heard, lost, countWarnings };
}

const say = (n: number) => database.db.transaction().execute((tx) => publish(tx, 'test', { n }, new Date()));

/** Runs a transaction that has taken a number and stays open until `commit`. */
async function begin(n: number) {
  const release = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const ended = database.db.transaction().execute(async (tx) => {
    await publish(tx, 'test', { n }, new Date());
    began.resolve();
    await release.promise;
  });
  await Promise.race([began.promise, ended]);
  return async () => {
    release.resolve();
    await ended;
  };
}

/** Takes numbers and rolls back. */
async function burn(count: number): Promise<void> {
  const tried = database.db.transaction().execute(async (tx) => {
    await sql`
      insert into outbox (topic, payload, at) select 'test', '{}', now() from generate_series(1, ${count}::int)
    `.execute(tx);
    throw new Error('rolled back');
  });
  await expect(tried).rejects.toThrow('rolled back');
}

/** Waits until all transactions that began before now have ended. */
async function waitForHorizon(): Promise<void> {
  const { rows } = await sql<{ now: string }>`select pg_snapshot_xmax(pg_current_snapshot())::text as now`.execute(
    database.db,
  );
  await vi.waitFor(async () => {
    const { rows: answer } = await sql<{ is_over: boolean }>`
      select pg_snapshot_xmin(pg_current_snapshot()) >= ${rows[0]?.now}::xid8 as is_over
    `.execute(database.db);
    expect(answer[0]?.is_over).toBe(true);
  }, LONG);
}

/** When the second one has arrived, the read of the first one has ended. */
async function sayTwice(heard: readonly number[], n: number): Promise<void> {
  for (const each of [n, n + 1]) {
    await say(each);
    await vi.waitFor(() => expect(heard).toContain(each), LONG);
  }
}

it('rolled-back numbers are forgotten, however many there are, and make room for later ones', async () => {
  const { heard, lost, countWarnings } = await openReader();
  for (let round = 0; round < 3; round += 1) {
    await burn(6000);
    const commit = await begin(round);
    await say(100 + round);
    await vi.waitFor(() => expect(heard).toContain(100 + round), LONG);
    await commit();
    await vi.waitFor(() => expect(heard).toContain(round), LONG);
    // First the numbers skipped before this round, then those skipped in it.
    await waitForHorizon();
    await sayTwice(heard, 200 + 10 * round);
    await waitForHorizon();
    await sayTwice(heard, 205 + 10 * round);
  }
  expect(heard.filter((n) => n < 200)).toEqual([100, 0, 101, 1, 102, 2]);
  expect([lost.mock.calls.length, countWarnings('outbox.gaps_forgotten')]).toEqual([0, 0]);
});

it('the event of a transaction that was open while too many numbers were skipped arrives when it commits', async () => {
  const { heard, lost, countWarnings } = await openReader();
  const commit = await begin(1);
  await burn(12_000);
  const commitLater = await begin(2);
  await say(3);
  await vi.waitFor(() => expect(heard).toContain(3), LONG);
  await vi.waitFor(() => expect(countWarnings('outbox.gaps_forgotten')).toBe(1), LONG);
  expect(lost).not.toHaveBeenCalled();
  await commitLater();
  await say(4);
  await vi.waitFor(() => expect(heard).toContain(4), LONG);
  // The transaction that began first may still commit.
  expect(lost).not.toHaveBeenCalled();
  await commit();
  await vi.waitFor(() => expect(lost).toHaveBeenCalledTimes(1), LONG);
  await say(5);
  await vi.waitFor(() => expect(heard).toContain(5), LONG);
  expect(lost).toHaveBeenCalledTimes(1);
});

it('forgotten numbers are reported once, repeatedly until the report is handled, even if nothing else is written', async () => {
  let isFirst = true;
  const { heard, lost, countWarnings } = await openReader({
    onLost: async () => {
      if (!isFirst) return;
      isFirst = false;
      throw new Error('not now');
    },
  });
  await burn(12_000);
  await say(1);
  await vi.waitFor(() => expect(lost).toHaveBeenCalledTimes(2), LONG);
  expect(countWarnings('outbox.read_failed')).toBe(1);
  await say(2);
  await vi.waitFor(() => expect(heard).toEqual([1, 2]), LONG);
  expect(lost).toHaveBeenCalledTimes(2);
});

it('the event of a transaction that was open at the start arrives, however many numbers were taken since', async () => {
  const commit = await begin(1);
  await burn(3000);
  await say(2);
  const { heard, lost } = await openReader();
  await say(3);
  await vi.waitFor(() => expect(heard).toEqual([3]), LONG);
  expect(lost).not.toHaveBeenCalled();
  await commit();
  await vi.waitFor(() => expect(lost).toHaveBeenCalledTimes(1), LONG);
});

it('a start without open writes rebuilds nothing', async () => {
  await burn(10);
  await say(1);
  const { heard, lost } = await openReader();
  for (const n of [2, 3, 4]) {
    await say(n);
    await vi.waitFor(() => expect(heard).toContain(n), LONG);
  }
  expect(lost).not.toHaveBeenCalled();
});

it('numbers whose rows were all deleted before the start do not count as missing', async () => {
  await burn(12_000);
  await say(1);
  await sql`delete from outbox`.execute(database.owner);
  const { heard, lost, countWarnings } = await openReader();
  await sayTwice(heard, 2);
  expect(heard).toEqual([2, 3]);
  expect([lost.mock.calls.length, countWarnings('outbox.gaps_forgotten')]).toEqual([0, 0]);
});

it('any number of failing reads gives nothing up', async () => {
  const { heard, lost, countWarnings } = await openReader();
  await sql`alter table outbox rename to away`.execute(database.owner);
  try {
    await database.db.transaction().execute((tx) => sql`select pg_notify('outbox', 'test')`.execute(tx));
    await vi.waitFor(() => expect(countWarnings('outbox.read_failed')).toBeGreaterThan(25), LONG);
  } finally {
    await sql`alter table away rename to outbox`.execute(database.owner);
  }
  await say(1);
  await vi.waitFor(() => expect(heard).toEqual([1]), LONG);
  expect(lost).not.toHaveBeenCalled();
});

it('a batch that is rejected 20 times is given up, and later ones are delivered', async () => {
  let refused = 0;
  const { heard, lost } = await openReader({
    onEvents: async () => {
      if (lost.mock.calls.length > 0) return;
      refused += 1;
      throw new Error('poison');
    },
  });
  await say(1);
  await vi.waitFor(() => expect(lost).toHaveBeenCalledTimes(1), LONG);
  await say(2);
  await vi.waitFor(() => expect(heard).toEqual([2]), LONG);
  expect([refused, lost.mock.calls.length]).toEqual([20, 1]);
});
