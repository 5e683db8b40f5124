import { createId } from '@flotilla/kit';
import { isFullTier } from '@flotilla/kit/testing';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Bench, createBench, createJobs } from './testing/bench.ts';
import { SCENARIOS, type Scenario } from './testing/jobs.ts';
import type { Kill, Moment } from './testing/kill.ts';

/** Long, so that a slow machine loses no lease of a living worker. The test ends the leases of dead ones itself. */
const LEASE_MS = 60_000;
const WAIT = { interval: 50 };
const CASE_MS = 120_000;

let bench: Bench;
beforeAll(async () => {
  bench = await createBench(LEASE_MS);
});
afterAll(() => bench.close());

interface Row extends Kill {
  readonly scenario: Scenario;
  /** The step that starts again and is marked as repeated. */
  readonly repeats: string | undefined;
}

const IN: readonly Moment[] = ['in the step', 'after its work', 'before its end'];
const ALL: readonly Moment[] = ['before the step', ...IN, 'after its end'];

function rowsOf(
  scenario: Scenario,
  [type, nth, step]: readonly [type: string, nth: number, step: string],
  moments: readonly Moment[],
): Row[] {
  const isRepeated = (moment: Moment) => IN.includes(moment) || moment === 'after a spawn';
  return moments.map((moment) => ({ scenario, type, nth, moment, repeats: isRepeated(moment) ? step : undefined }));
}

const ROWS: readonly Row[] = [
  ...rowsOf('walk', ['walk', 1, 'first'], ['before the claim', ...ALL]),
  ...rowsOf('walk', ['walk', 2, 'second'], ALL),
  ...rowsOf('walk', ['walk', 3, 'third'], ['before the step', 'after its end']),
  ...rowsOf('poll', ['poll', 1, 'look'], [...IN, 'after its end']),
  ...rowsOf('poll', ['poll', 2, 'look'], ALL),
  ...rowsOf('family', ['family', 1, 'plan'], ['after a spawn', 'after its work', 'before its end', 'after its end']),
  ...rowsOf('family', ['family', 2, 'gather'], ALL),
  ...rowsOf('family', ['long', 1, 'only'], ALL),
  ...rowsOf('family at the end', ['family', 1, 'plan'], ['after a spawn', 'after its work', 'after its end']),
];

/** Small jobs do not record their start: every job that a dead worker had claimed is marked as repeated. */
const SMALL_ROWS: readonly Row[] = [
  ...rowsOf('small', ['small', 1, 'only'], ALL),
  ...rowsOf('small', ['small', 2, 'only'], ['in the step', 'after its work']),
  ...rowsOf('family', ['small', 1, 'only'], ['after its work', 'after its end']),
];

/** Every row in the full tier; otherwise the first row of each moment, so that every moment is covered. */
function rowsOfTier(rows: readonly Row[]): readonly Row[] {
  return isFullTier ? rows : rows.filter(({ moment }, i) => rows.findIndex((row) => row.moment === moment) === i);
}

const ONCE_ROWS: readonly Row[] = rowsOf('walk', ['walk', 3, 'third'], IN);

/** Locks in the order of the product, because the database may still run the last transaction of the dead worker. */
function endLeases(prefix: string): Promise<unknown> {
  return sql`
    with held as (
      select id from jobs where type like ${`${prefix}%`} and status = 'running' order by id desc for update
    )
    update jobs set leased_until = 'epoch' from held where jobs.id = held.id`.execute(bench.database.db);
}

/** Kills a worker at the moment, lets another one continue, and returns the outcome of all jobs. */
async function runRow({ scenario, type, nth, moment }: Row, count = 1) {
  const prefix = `test.${createId()}`;
  const types = SCENARIOS[scenario](prefix);
  const jobs = createJobs(...types);
  for (let i = 0; i < count; i += 1) await bench.enqueue(jobs, types[0], { name: `${prefix} ${i}` });
  const worker = bench.startWorker({ scenario, prefix, kill: { type, nth, moment } });
  expect(await worker.exit).toEqual([null, 'SIGKILL']);
  const { db } = bench.database;
  await endLeases(prefix);
  const runner = await bench.startRunner(jobs);
  const found = await vi.waitFor(async () => {
    const all = await db.selectFrom('jobs').selectAll().where('type', 'like', `${prefix}%`).orderBy('number').execute();
    expect(all.filter(({ ended_at }) => ended_at === null)).toEqual([]);
    return all;
  }, WAIT);
  await runner.close();
  const marks = await bench.readMarks(prefix);
  const outcomes = await Promise.all(
    found.map(async (job) => {
      const events = await bench.readEvents(job.id);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
      const stepsOf = (kind: string) =>
        events.flatMap((event) => (event.kind === kind ? [(event.data as { step: string }).step] : []));
      const ends = events.filter(({ kind }) => kind === 'ended').length;
      return { job, repeated: stepsOf('step.repeated'), ended: stepsOf('step.ended'), ends };
    }),
  );
  // No job is lost and each has ended once. No step ran more often than was announced.
  for (const { job, repeated, ended, ends } of outcomes) {
    expect([job.leased_by, ends]).toEqual([null, 1]);
    const { name } = job.params as { name: string };
    for (const step of new Set([...ended, ...repeated])) {
      const times = (mark: string) => marks.filter((one) => one.startsWith(`${name} ${step} ${mark}`)).length;
      const waits = scenario === 'poll' && step === 'look' ? 1 : 0;
      expect(times('worked')).toBeLessThanOrEqual(1 + waits + repeated.filter((one) => one === step).length);
      expect(times('ended')).toBeLessThanOrEqual(1);
    }
  }
  const [first] = outcomes;
  if (!first) throw new Error('no job was made');
  return { first, outcomes, marks, ofType: outcomes.filter(({ job }) => job.type === `${prefix}.${type}`) };
}

const STEPS: Readonly<Record<Scenario, readonly string[]>> = {
  walk: ['first', 'second', 'third'],
  poll: ['look', 'last'],
  family: ['plan', 'gather'],
  'family at the end': ['plan'],
  small: [],
};
const WITH_CHILDREN: readonly Scenario[] = ['family', 'family at the end'];
const title = 'of $scenario at step $nth of $type, $moment';

describe.concurrent('after a kill no step is lost, and none runs twice without a mark', () => {
  it.each(rowsOfTier(ROWS))(title, { timeout: CASE_MS }, async (row) => {
    const { first, outcomes, marks, ofType } = await runRow(row);
    expect(first.job).toMatchObject({ status: 'done', error: null });
    expect(first.ended).toEqual(STEPS[row.scenario]);
    expect(ofType.flatMap(({ repeated }) => repeated)).toEqual(row.repeats === undefined ? [] : [row.repeats]);
    const children = WITH_CHILDREN.includes(row.scenario) ? 3 : 0;
    expect(first.job).toMatchObject({ children_total: children, children_open: 0, children_failed: 0 });
    expect(outcomes.slice(1).map(({ job }) => [job.parent_id, job.status])).toEqual(
      Array.from({ length: children }, () => [first.job.id, 'done']),
    );
    if (row.scenario === 'family')
      expect(marks.filter((mark) => mark.endsWith(' gather ended done,done,done'))).toHaveLength(1);
  });

  it.each(rowsOfTier(SMALL_ROWS))(`for small jobs ${title}`, { timeout: CASE_MS }, async (row) => {
    const { outcomes, ofType } = await runRow(row, row.scenario === 'small' ? 3 : 1);
    expect(outcomes.map(({ job }) => job.status)).toEqual(outcomes.map(() => 'done'));
    expect(ofType.length).toBeGreaterThan(1);
    const isOver = row.moment === 'after its end';
    expect(ofType.filter(({ repeated }) => repeated.join() === 'only').length > 0).toBe(!isOver);
  });

  it.each(ONCE_ROWS)(`and none that must not be repeated runs twice, ${title}`, { timeout: CASE_MS }, async (row) => {
    const { first, marks } = await runRow(row);
    expect(first.job).toMatchObject({ status: 'failed', error: { code: 'job.unknown_outcome' } });
    expect(first.ended).toEqual(['first', 'second']);
    expect(marks.filter((mark) => mark.endsWith(' third worked'))).toHaveLength(row.moment === 'in the step' ? 0 : 1);
  });
});
