import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { claimJobs, renewLeases } from './claim-store.ts';
import { insertJobs, type NewJob } from './enqueue-store.ts';
import type { JobType } from './model.ts';
import { type Bench, createBench, createJobs } from './testing/bench.ts';
import { createWalk } from './testing/jobs.ts';

const LEASE_MS = 1500;
const WAIT = { interval: 50 };
/** Timeout for thousands of jobs. */
const MANY_WAIT = { timeout: 120_000, interval: 100 };

let bench: Bench;

beforeAll(async () => {
  bench = await createBench(LEASE_MS);
});
afterEach(() => bench.stopAll());
afterAll(() => bench.close());

const untilStatus = (id: string, ...statuses: string[]) =>
  vi.waitFor(async () => {
    const job = await bench.readJob(id);
    if (!statuses.includes(job.status)) throw new Error(`${job.status} ${JSON.stringify(await bench.readEvents(id))}`);
    return job;
  }, WAIT);

it('a worker that is stopped past its lease and resumed writes nothing', async () => {
  const sleeper: JobType<object> = {
    type: 'test.sleeper',
    title: 'Writes and ends',
    params: z.object({}),
    route: null,
    steps: [{ name: 'sleep', effects: 'database', run: async () => ({ kind: 'done' }) }],
  };
  const jobs = createJobs(sleeper);
  const { id } = await bench.enqueue(jobs, sleeper, {});
  const worker = bench.startWorker();
  await vi.waitFor(() => expect(worker.words).toContain('in the step'), WAIT);
  worker.child.kill('SIGSTOP');
  await vi.waitFor(async () => {
    const { leased_until } = await bench.readJob(id);
    expect(leased_until?.getTime()).toBeLessThan(Date.now());
  }, WAIT);
  // No other worker has claimed the job: the lease alone must keep the old one out.
  worker.child.kill('SIGCONT');
  worker.child.stdin.write('go on\n');
  await vi.waitFor(() => expect(worker.words).toContain('LeaseLost'), WAIT);
  expect(await bench.readMarks(worker.workerId)).toEqual([]);
  worker.child.kill('SIGKILL');
  await bench.startRunner(jobs);
  await untilStatus(id, 'done');
  expect((await bench.readEvents(id)).filter(({ kind }) => kind === 'step.ended')).toHaveLength(1);
});

it("a job that names a worker without that worker's knowledge is claimed again, even by the same worker", async () => {
  const type = createWalk();
  const jobs = createJobs(type);
  const { id } = await bench.enqueue(jobs, type, { name: `unheard ${createId()}` });
  const workerId = createId();
  // Simulates a connection that breaks between the commit of a claim and its answer, or at a job's end.
  await sql`update jobs set status = 'running', fence = nextval('job_fences'), attempt = 1, leased_by = ${workerId},
    leased_until = clock_timestamp() + ${LEASE_MS}::int * interval '1 ms' where id = ${id}`.execute(bench.database.db);
  await bench.startRunner(jobs, workerId);
  await untilStatus(id, 'done');
  expect((await bench.readEvents(id)).map(({ kind, data }) => [kind, data])).toContainEqual([
    'retry',
    expect.objectContaining({ code: 'job.worker_lost', controller: workerId }),
  ]);
});

it.each([
  ['by another worker', sql`now() + interval '1 hour'`],
  ['and started again by the same worker', sql`now()`],
])('an attempt whose job was taken back is stopped: %s', async (_, runAt) => {
  const signals: AbortSignal[] = [];
  const type: JobType<object> = {
    type: `test.deaf-${createId().slice(-8)}`,
    title: 'Runs until it is stopped',
    params: z.object({}),
    route: null,
    steps: [
      {
        name: 'only',
        effects: 'repeatable',
        run: async ({ signal }) => {
          signals.push(signal);
          if (signals.length === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
          return { kind: 'done' };
        },
      },
    ],
  };
  const jobs = createJobs(type);
  const { id } = await bench.enqueue(jobs, type, {});
  await bench.startRunner(jobs);
  await vi.waitFor(() => expect(signals).toHaveLength(1), WAIT);
  await sql`update jobs set status = 'pending', leased_by = null, leased_until = null, fence = null, run_at = ${runAt}
    where id = ${id}`.execute(bench.database.db);
  await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true), WAIT);
  await sql`update jobs set run_at = now() where id = ${id} and status = 'pending'`.execute(bench.database.db);
  await untilStatus(id, 'done');
  expect(signals[1]?.aborted).toBe(false);
  expect((await bench.readEvents(id)).filter(({ kind }) => kind === 'step.ended')).toHaveLength(1);
});

it('renewing a lease writes to no index', async () => {
  const type = createWalk();
  const { id } = await bench.enqueue(createJobs(type), type, { name: `light ${createId()}` });
  const request = { worker: createId(), types: [type.type], limit: 1000, isSmall: false, leaseMs: 60_000 };
  const held = (await claimJobs(bench.database.db, request)).filter((job) => job.id === id);
  // Gives the page free space: the test asks whether the new row version needs index entries.
  await sql`vacuum full jobs`.execute(bench.database.owner);
  await bench.database.db.transaction().execute(async (tx) => {
    const before = await countWrites(tx);
    expect(await renewLeases(tx, held, 60_000)).toHaveLength(1);
    const after = await countWrites(tx);
    expect([after.all - before.all, after.light - before.light]).toEqual([1, 1]);
  });
  await sql`delete from jobs where id = ${id}`.execute(bench.database.owner);
});

/** Counts the rows of `jobs` that this connection has updated, and those updated without index writes (HOT). */
async function countWrites(tx: Tx): Promise<{ all: number; light: number }> {
  const { rows } = await sql<{ all: number; light: number }>`select n_tup_upd::int as all, n_tup_hot_upd::int as light
    from pg_stat_xact_user_tables where relname = 'jobs'`.execute(tx);
  return rows[0] ?? { all: 0, light: 0 };
}

it('two workers never hold one lease', { timeout: MANY_WAIT.timeout + 30_000 }, async () => {
  const brief: JobType<object> = {
    type: 'test.brief',
    title: 'Holds its lease for a moment',
    params: z.object({}),
    route: null,
    isSmall: true,
    steps: [{ name: 'only', effects: 'repeatable', run: async () => ({ kind: 'done' }) }],
  };
  const jobs = createJobs(brief);
  const COUNT = 5000;
  const one = await bench.enqueue(jobs, brief, {});
  // Copies of that row, all ready at the same time.
  await bench.database.db.transaction().execute(async (tx) => {
    const { rows } = await sql<NewJob>`select gen_random_uuid() as id, type, params, is_small as "isSmall",
      attempts_max as "attemptsMax", steps_total as "stepsTotal", actor
      from jobs, generate_series(2, ${COUNT}::int) where id = ${one.id}`.execute(tx);
    await insertJobs(tx, rows);
  });
  for (let i = 0; i < 4; i += 1) bench.startWorker({ leaseMs: 10_000 });
  await vi.waitFor(async () => {
    const open = await bench.database.db
      .selectFrom('jobs')
      .select('id')
      .where('status', 'in', ['pending', 'running'])
      .limit(1)
      .execute();
    expect(open).toEqual([]);
  }, MANY_WAIT);
  const rows = await bench.database.db
    .selectFrom('jobs')
    .innerJoin('job_events', 'job_events.job_id', 'jobs.id')
    .select(({ fn }) => ['jobs.id', fn.agg<string[]>('array_agg', ['kind']).as('kinds')])
    .where('jobs.type', '=', 'test.brief')
    .groupBy('jobs.id')
    .execute();
  expect(rows).toHaveLength(COUNT);
  // Claimed once and ended once: no other worker got it in between.
  expect(new Set(rows.map(({ kinds }) => kinds.toSorted().join()))).toEqual(new Set(['claimed,ended']));
  const holders = await bench.database.db
    .selectFrom('job_events')
    .select('data')
    .where('kind', '=', 'claimed')
    .execute();
  expect(new Set(holders.map(({ data }) => (data as { fence: number }).fence)).size).toBe(holders.length);
});
