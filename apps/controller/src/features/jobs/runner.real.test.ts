import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Tx } from '@flotilla/db';
import { createId, createSilentLogger } from '@flotilla/kit';
import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { claimJobs, renewLeases } from './claim-store.ts';
import { insertJobs, type NewJob } from './enqueue-store.ts';
import { Jobs } from './jobs.ts';
import type { JobType } from './model.ts';
import { Runner } from './runner.ts';
import { BOUNDARIES, type Boundary, createWalk, PLAIN_SEALER, SYSTEM } from './test-jobs.ts';
import { JobTypes } from './types.ts';

const LEASE_MS = 1500;
const WAIT = { timeout: 40_000, interval: 50 };
/** For thousands of jobs. */
const MANY_WAIT = { timeout: 120_000, interval: 100 };

let database: TestDatabase;
const workers = new Set<ChildProcess>();
const runners = new Set<Runner>();

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  workers.clear();
  for (const runner of runners) await runner.close();
  runners.clear();
});
afterAll(() => database.close());

/** A worker in a process of its own. Resolves with its words. */
function startWorker(order: { boundary?: Boundary; leaseMs?: number } = {}) {
  const workerId = createId();
  const settings = { ...database.settings };
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'test-worker.ts'), JSON.stringify({ settings, workerId, leaseMs: LEASE_MS, ...order })],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  workers.add(child);
  const words: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => words.push(line));
  return { child, workerId, words, exit: once(child, 'exit') };
}

function createJobs<P>(type: JobType<P>): Jobs {
  const jobs = new Jobs(new JobTypes(PLAIN_SEALER));
  jobs.register(type);
  return jobs;
}

async function startRunner(jobs: Jobs, workerId = createId()): Promise<Runner> {
  const runner = new Runner({
    database,
    logger: createSilentLogger(),
    types: jobs.types,
    workerId,
    authorize: async () => ({}),
    timing: { leaseMs: LEASE_MS, beatMs: LEASE_MS / 3, pollMs: 50 },
  });
  runners.add(runner);
  await runner.start();
  return runner;
}

const enqueue = <P>(jobs: Jobs, type: JobType<P>, params: P) =>
  database.db.transaction().execute((tx) => jobs.enqueue(tx, type, { params, project: null, actor: SYSTEM }));

const readJob = (id: string) =>
  database.db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const readEvents = (id: string) =>
  database.db.selectFrom('job_events').selectAll().where('job_id', '=', id).orderBy('seq').execute();

async function readMarks(name: string): Promise<string[]> {
  const rows = await database.db.selectFrom('outbox').select('payload').where('topic', '=', 'test.mark').execute();
  return rows.map(({ payload }) => (payload as { mark: string }).mark).filter((mark) => mark.includes(name));
}

const untilStatus = (id: string, ...statuses: string[]) =>
  vi.waitFor(async () => {
    const job = await readJob(id);
    if (!statuses.includes(job.status)) throw new Error(`${job.status} ${JSON.stringify(await readEvents(id))}`);
    return job;
  }, WAIT);

/** Steps of which something may have been done before the worker died. */
const REPEATS: Readonly<Record<Boundary, boolean>> = {
  'before the claim': false,
  'after the claim': false,
  'in the step': true,
  'after its write': true,
  'before its end': true,
  'after its end': false,
};

it.each(BOUNDARIES)('killed %s, no step is lost, and none runs twice without saying so', async (boundary) => {
  const type = createWalk();
  const jobs = createJobs(type);
  const name = `walk ${createId()}`;
  const { id } = await enqueue(jobs, type, { name });
  const [, signal] = await startWorker({ boundary }).exit;
  expect(signal).toBe('SIGKILL');
  await startRunner(jobs);
  await untilStatus(id, 'done', 'failed', 'dead');
  const job = await readJob(id);
  expect(job).toMatchObject({ status: 'done', error: null, leased_by: null });

  const marks = await readMarks(name);
  const times = (mark: string) => marks.filter((one) => one === `${name} ${mark}`).length;
  expect([times('first'), times('second')]).toEqual([1, 1]);
  const wroteTwice = boundary === 'after its write' || boundary === 'before its end';
  expect(times('on the way')).toBe(wroteTwice ? 2 : 1);

  const events = await readEvents(id);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  const told = (kind: string) =>
    events.flatMap((event) => (event.kind === kind ? [(event.data as { step?: string }).step] : []));
  expect(told('step.ended')).toEqual(['first', 'second', 'third']);
  expect(told('step.repeated')).toEqual(REPEATS[boundary] ? ['second'] : []);
  expect(told('ended')).toHaveLength(1);
  const steps = await database.db
    .selectFrom('job_steps')
    .selectAll()
    .where('job_id', '=', id)
    .orderBy('step')
    .execute();
  expect(steps.map(({ status, repeated }) => [status, repeated])).toEqual([
    ['done', false],
    ['done', REPEATS[boundary]],
    ['done', false],
  ]);
});

it('a step that must not be done twice is not: the job says that its outcome is not known', async () => {
  const { id } = await enqueue(createJobs(createWalk()), createWalk(), { name: 'careful' });
  await startWorker({ boundary: 'after its write' }).exit;
  const jobs = createJobs(createWalk(undefined, 'once'));
  await startRunner(jobs);
  expect(await untilStatus(id, 'failed', 'done')).toMatchObject({
    status: 'failed',
    error: { code: 'job.unknown_outcome' },
  });
  expect((await readMarks('careful')).filter((mark) => mark.endsWith('on the way'))).toHaveLength(1);
});

it('a worker that is stopped past its lease and woken writes nothing', async () => {
  const sleeper: JobType<object> = {
    type: 'test.sleeper',
    title: 'Writes and ends',
    params: z.object({}),
    route: null,
    steps: [{ name: 'sleep', effects: 'database', run: async () => ({ kind: 'done' }) }],
  };
  const jobs = createJobs(sleeper);
  const { id } = await enqueue(jobs, sleeper, {});
  const worker = startWorker();
  await vi.waitFor(() => expect(worker.words).toContain('in the step'), WAIT);
  worker.child.kill('SIGSTOP');
  await vi.waitFor(async () => {
    const { leased_until } = await readJob(id);
    expect(leased_until?.getTime()).toBeLessThan(Date.now());
  }, WAIT);
  // Nobody else has taken it up: the lease alone must be enough to keep it out.
  worker.child.kill('SIGCONT');
  worker.child.stdin.write('go on\n');
  await vi.waitFor(() => expect(worker.words).toContain('LeaseLost'), WAIT);
  expect(await readMarks(worker.workerId)).toEqual([]);
  worker.child.kill('SIGKILL');
  await startRunner(jobs);
  await untilStatus(id, 'done');
  expect((await readEvents(id)).filter(({ kind }) => kind === 'step.ended')).toHaveLength(1);
});

it('a job that names a worker which knows nothing of it is taken up again, by the same worker too', async () => {
  const type = createWalk();
  const jobs = createJobs(type);
  const { id } = await enqueue(jobs, type, { name: `unheard ${createId()}` });
  const workerId = createId();
  // As when the connection breaks between a claim's commit and its answer, or at a job's end.
  await sql`update jobs set status = 'running', fence = nextval('job_fences'), attempt = 1, leased_by = ${workerId},
    leased_until = clock_timestamp() + ${LEASE_MS}::int * interval '1 ms' where id = ${id}`.execute(database.db);
  await startRunner(jobs, workerId);
  await untilStatus(id, 'done');
  expect((await readEvents(id)).map(({ kind, data }) => [kind, data])).toContainEqual([
    'retry',
    expect.objectContaining({ code: 'job.worker_lost', controller: workerId }),
  ]);
});

it('a lease is renewed without a word to any index', async () => {
  const type = createWalk();
  const { id } = await enqueue(createJobs(type), type, { name: `light ${createId()}` });
  const request = { worker: createId(), types: [type.type], limit: 1000, isSmall: false, leaseMs: 60_000 };
  const held = (await claimJobs(database.db, request)).filter((job) => job.id === id);
  // So that its page has room: what is asked is whether an index needs the new version.
  await sql`vacuum full jobs`.execute(database.owner);
  await database.db.transaction().execute(async (tx) => {
    const before = await countWrites(tx);
    expect(await renewLeases(tx, held, 60_000)).toHaveLength(1);
    const after = await countWrites(tx);
    expect([after.all - before.all, after.light - before.light]).toEqual([1, 1]);
  });
  await sql`delete from jobs where id = ${id}`.execute(database.owner);
});

/** Rows of `jobs` that this connection has written anew, and those for which no index was written. */
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
  const one = await enqueue(jobs, brief, {});
  // Rows as that one, all ready in the same moment.
  await database.db.transaction().execute(async (tx) => {
    const { rows } = await sql<NewJob>`select gen_random_uuid() as id, type, params, is_small as "isSmall",
      attempts_max as "attemptsMax", steps_total as "stepsTotal", actor
      from jobs, generate_series(2, ${COUNT}::int) where id = ${one.id}`.execute(tx);
    await insertJobs(tx, rows);
  });
  for (let i = 0; i < 4; i += 1) startWorker({ leaseMs: 10_000 });
  await vi.waitFor(async () => {
    const open = await database.db
      .selectFrom('jobs')
      .select('id')
      .where('status', 'in', ['pending', 'running'])
      .limit(1)
      .execute();
    expect(open).toEqual([]);
  }, MANY_WAIT);
  const rows = await database.db
    .selectFrom('jobs')
    .innerJoin('job_events', 'job_events.job_id', 'jobs.id')
    .select(({ fn }) => ['jobs.id', fn.agg<string[]>('array_agg', ['kind']).as('kinds')])
    .where('jobs.type', '=', 'test.brief')
    .groupBy('jobs.id')
    .execute();
  expect(rows).toHaveLength(COUNT);
  // Claimed once and ended once: nobody else was ever let in between.
  expect(new Set(rows.map(({ kinds }) => kinds.toSorted().join()))).toEqual(new Set(['claimed,ended']));
  const holders = await database.db.selectFrom('job_events').select('data').where('kind', '=', 'claimed').execute();
  expect(new Set(holders.map(({ data }) => (data as { fence: number }).fence)).size).toBe(holders.length);
});
