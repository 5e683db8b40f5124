import { createId, createSilentLogger } from '@flotilla/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { claimJobs } from './claim-store.ts';
import { cancelJob } from './enqueue-store.ts';
import type { JobType, StepResult } from './model.ts';
import { runSmallJobs } from './small-lane.ts';
import { type Bench, createBench, createJobs } from './testing/bench.ts';
import { type NamedParams, SCENARIOS, SYSTEM } from './testing/jobs.ts';

const LEASE_MS = 60_000;
const control = { signal: new AbortController().signal, isClosing: () => false };

let bench: Bench;
beforeAll(async () => {
  bench = await createBench(LEASE_MS);
});
afterAll(() => bench.close());

/** Claims small jobs of their own type and runs them with `run`. */
async function claimSmall(names: readonly string[], run: (name: string) => Promise<StepResult>) {
  const [plain] = SCENARIOS.small(`test.${createId()}`);
  const ran: string[] = [];
  const type: JobType<NamedParams> = {
    ...plain,
    steps: [
      {
        ...plain.steps[0],
        run: (ctx) => {
          ran.push(ctx.params.name);
          return run(ctx.params.name);
        },
      },
    ],
  };
  const jobs = createJobs(type);
  const ids: string[] = [];
  for (const name of names) ids.push((await bench.enqueue(jobs, type, { name })).id);
  const { db } = bench.database;
  const request = { worker: createId(), types: [type.type], limit: 10, isSmall: true, leaseMs: LEASE_MS };
  const claimed = await claimJobs(db, request);
  const { types } = jobs;
  const deps = {
    database: bench.database,
    logger: createSilentLogger(),
    types,
    authorize: async () => ({}),
    leaseMs: LEASE_MS,
  };
  const runAll = () => runSmallJobs(deps, claimed, control);
  const endOf = async (id: string) => (await bench.readEvents(id)).filter(({ kind }) => kind === 'ended');
  const tellAll = () =>
    Promise.all(ids.map(async (id) => [(await bench.readJob(id)).status, (await endOf(id)).map(({ data }) => data)]));
  return { ids, ran, runAll, tellAll };
}

const cancel = (id: string | undefined) =>
  bench.database.db.transaction().execute((tx) => cancelJob(tx, id ?? '', SYSTEM));

it('a small job that is cancelled between its claim and its start does nothing', async () => {
  const { ids, ran, runAll, tellAll } = await claimSmall(['goes on', 'stops'], async () => ({ kind: 'done' }));
  expect(await cancel(ids[1])).toBe(true);
  await runAll();
  expect(ran).toEqual(['goes on']);
  expect(await tellAll()).toEqual([
    ['done', [{ status: 'done' }]],
    ['cancelled', [{ status: 'cancelled' }]],
  ]);
});

it('a small job that has started ends as done with the note that the cancellation came too late, and is not retried if it fails', async () => {
  const begun = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  let count = 0;
  const { ids, ran, runAll, tellAll } = await claimSmall(['works', 'breaks'], async (name) => {
    count += 1;
    if (count === 2) begun.resolve();
    await open.promise;
    if (name === 'breaks') throw new Error('breaks');
    return { kind: 'done' };
  });
  const all = runAll();
  await begun.promise;
  for (const id of ids) expect(await cancel(id)).toBe(true);
  open.resolve();
  await all;
  expect(ran.toSorted()).toEqual(['breaks', 'works']);
  expect(await tellAll()).toEqual([
    ['done', [{ status: 'done', cancel: 'too_late' }]],
    ['cancelled', [{ status: 'cancelled' }]],
  ]);
});

it('a child created while its parent was cancelled is cancelled, and its parent is updated', async () => {
  const { ids, ran, runAll, tellAll } = await claimSmall(['child'], async () => ({ kind: 'done' }));
  const [type] = SCENARIOS.walk(`test.${createId()}`);
  const { id: parent } = await bench.enqueue(createJobs(type), type, { name: 'parent' });
  const { db } = bench.database;
  // The state of a running parent that was asked to stop.
  const asked = { status: 'running', cancel_requested_at: new Date(), children_total: 1, children_open: 1 } as const;
  await db.updateTable('jobs').set(asked).where('id', '=', parent).execute();
  await db.updateTable('jobs').set({ parent_id: parent }).where('id', 'in', ids).execute();
  await runAll();
  expect(ran).toEqual([]);
  expect(await tellAll()).toEqual([['cancelled', [{ status: 'cancelled' }]]]);
  expect(await bench.readJob(parent)).toMatchObject({ children_open: 0, children_failed: 1 });
});
