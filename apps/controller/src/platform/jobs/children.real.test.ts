import { createId } from '@flotilla/kit';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { ChildJob, JobType } from './model.ts';
import { type Bench, createBench, createJobs } from './testing/bench.ts';

const WAIT = { interval: 50 };
const params = z.object({ name: z.string() });
type Params = z.infer<typeof params>;
type Run = JobType<Params>['steps'][0]['run'];

let bench: Bench;
beforeAll(async () => {
  bench = await createBench(15_000);
});
afterEach(() => bench.stopAll());
afterAll(() => bench.close());

function createFamily() {
  const child: JobType<Params> = {
    type: `test.child.${createId()}`,
    title: 'A child',
    params,
    route: null,
    attemptsMax: 1,
    steps: [
      {
        name: 'only',
        effects: 'repeatable',
        run: async (ctx) => {
          if (ctx.params.name === 'bad') throw new Error('cannot be done');
          return { kind: 'done' };
        },
      },
    ],
  };
  const other = { ...child, type: `${child.type}.other` };
  const createParent = (...runs: [Run, ...Run[]]): JobType<Params> => {
    const [first, ...rest] = runs.map((run, i) => ({ name: `step ${i}`, effects: 'repeatable' as const, run }));
    if (!first) throw new Error('there is one');
    return { ...child, type: `test.parent.${createId()}`, attemptsMax: 3, steps: [first, ...rest] };
  };
  return { child, other, createParent };
}

async function run(parent: JobType<Params>, ...others: JobType<Params>[]) {
  const jobs = createJobs(parent, ...others);
  const { id } = await bench.enqueue(jobs, parent, { name: 'parent' });
  await bench.startRunner(jobs);
  await vi.waitFor(async () => expect((await bench.readJob(id)).ended_at).not.toBeNull(), WAIT);
  const children = await bench.database.db.selectFrom('jobs').selectAll().where('parent_id', '=', id).execute();
  return { job: await bench.readJob(id), names: children.map((one) => (one.params as Params).name).toSorted() };
}

const statusesOf = (jobs: readonly ChildJob[]) => jobs.map(({ status }) => status);
const order = (key: string, name = key) => ({ key, params: { name } });

it('a step that fails after spawning finds its children on the next attempt, and creates only new ones', async () => {
  const { child, createParent } = createFamily();
  const seen: unknown[] = [];
  const parent = createParent(async (ctx) => {
    seen.push(statusesOf(await ctx.children()));
    const made = await ctx.spawn(child, [order('kept'), order('bad')]);
    if (ctx.attempt === 1) throw new Error('fails in the middle');
    // Existing children do not change when they are requested again with other parameters.
    const more = await ctx.spawn(child, [order('more'), order('kept', 'another')]);
    expect(more[1]).toEqual(made[0]);
    seen.push(statusesOf(made), statusesOf(more));
    return { kind: 'wait_for_children' };
  });
  const { job, names } = await run(parent, child);
  expect(names).toEqual(['bad', 'kept', 'more']);
  expect(job).toMatchObject({ status: 'done_with_errors', children_total: 3, children_open: 0, children_failed: 1 });
  // The next attempt waits until the children of the previous one have ended.
  expect(seen).toEqual([[], ['done', 'dead'], ['done', 'dead'], ['pending', 'done']]);
});

it('the same key is another child for another step, type or parent', async () => {
  const { child, other, createParent } = createFamily();
  const parent = createParent(
    async (ctx) => {
      await ctx.spawn(child, [order('same', 'first')]);
      await ctx.spawn(other, [order('same', 'other')]);
      return { kind: 'wait_for_children' };
    },
    async (ctx) => {
      await ctx.spawn(child, [order('same', 'second')]);
      return { kind: 'wait_for_children' };
    },
  );
  for (const _ of [1, 2]) {
    const { job, names } = await run(parent, child, other);
    expect(names).toEqual(['first', 'other', 'second']);
    expect(job).toMatchObject({ status: 'done', children_total: 3 });
    await bench.stopAll();
  }
});

it('children have higher ids than their parents, which is the lock order', async () => {
  const { child, createParent } = createFamily();
  const parent = createParent(async (ctx) => {
    await ctx.spawn(
      child,
      Array.from({ length: 50 }, (_, i) => order(`${i}`)),
    );
    return { kind: 'wait_for_children' };
  });
  const { job } = await run(parent, child);
  const children = await bench.database.db.selectFrom('jobs').select('id').where('parent_id', '=', job.id).execute();
  expect(children).toHaveLength(50);
  expect(children.every(({ id }) => id > job.id)).toBe(true);
});

it('a step that asks for two children with one key fails, and creates none', async () => {
  const { child, createParent } = createFamily();
  let said: unknown;
  const parent = createParent(async (ctx) => {
    said = await ctx.spawn(child, [order('same'), order('same')]).catch((error: Error) => error.message);
    return { kind: 'done' };
  });
  const { job } = await run(parent, child);
  expect([job.status, job.children_total]).toEqual(['done', 0]);
  expect(said).toBe('step step 0 asks for two children of one key');
});
