import { createId, createSilentLogger } from '@flotilla/kit';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { createControllerDatabase } from '../../testing/database.ts';
import type { JobType } from './model.ts';
import { Runner } from './runner.ts';
import { createJobs } from './testing/bench.ts';
import { SYSTEM } from './testing/jobs.ts';

const WAIT = { interval: 25 };

it('leases are renewed again if a renewal is not answered, and the job ends', async () => {
  const database = await createControllerDatabase();
  onTestFinished(() => database.close());
  const begun = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const run = async () => {
    begun.resolve();
    await open.promise;
    return { kind: 'done' } as const;
  };
  const type: JobType<object> = {
    type: 'test.long',
    title: 'One long step',
    params: z.object({}),
    route: null,
    steps: [{ name: 'only', effects: 'repeatable', run }],
  };
  const jobs = createJobs(type);
  const logger = createSilentLogger();
  const warn = vi.spyOn(logger, 'warn');
  const runner = new Runner({
    database,
    logger,
    types: jobs.types,
    workerId: createId(),
    authorize: async () => ({}),
    timing: { leaseMs: 1500, beatMs: 100 },
  });
  await runner.start();
  onTestFinished(() => runner.close());
  const { id } = await database.db
    .transaction()
    .execute((tx) => jobs.enqueue(tx, type, { params: {}, project: null, actor: SYSTEM }));
  await begun.promise;

  // The lock blocks every query on this table, like a connection whose other end is gone.
  await database.owner.transaction().execute(async (tx) => {
    await sql`lock table jobs in access exclusive mode`.execute(tx);
    const countFailed = () => warn.mock.calls.filter((call) => call.at(1) === 'jobs.beat_failed').length;
    await vi.waitFor(() => expect(countFailed()).toBeGreaterThan(1), WAIT);
  });
  open.resolve();
  await vi.waitFor(async () => {
    const { rows } = await sql<{ status: string }>`select status from jobs where id = ${id}`.execute(database.db);
    expect(rows[0]?.status).toBe('done');
  }, WAIT);
});
