// Measures how many small jobs per second a controller runs, from the step that creates them to the end of the last one
// in the database, and how long a single job waits for a worker: `node bench/src/jobs.ts [JOBS] [PICK_UPS]`.
import { projectQuerySchema } from '@flotilla/contract';
import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { median, percentile } from './table.ts';

type JobType = Parameters<TestController['controller']['jobs']['register']>[0];

const [jobs = 20_000, pickUps = 200] = process.argv.slice(2).map(Number);
const BATCH = 1000;

const small: JobType = {
  type: 'bench.small',
  title: 'A small job',
  params: projectQuerySchema,
  route: null,
  isSmall: true,
  steps: [{ name: 'only', effects: 'repeatable', run: async () => ({ kind: 'done' }) }],
};
const many: JobType = {
  type: 'bench.many',
  title: 'Makes small jobs and waits for them',
  params: projectQuerySchema,
  route: null,
  steps: [
    {
      name: 'make',
      effects: 'database',
      run: async (ctx) => {
        for (let made = 0; made < jobs; made += BATCH)
          await ctx.spawn(
            small,
            Array.from({ length: Math.min(BATCH, jobs - made) }, (_, i) => ({
              key: `${made + i}`,
              params: ctx.params,
            })),
          );
        return { kind: 'wait_for_children' };
      },
    },
  ],
};

const t = await createTestController();
const { db } = t.database;
const actor = { kind: 'system', id: null, name: 'bench' } as const;

function enqueue(type: JobType) {
  const order = { params: { project: t.project }, project: t.project, actor };
  return db.transaction().execute((tx) => t.controller.jobs.enqueue(tx, type, order));
}

/** Polled rarely, so that the query costs nothing. */
async function untilEnded(id: string) {
  for (;;) {
    const job = await db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    if (job.started_at !== null && job.ended_at !== null)
      return { ...job, started_at: job.started_at, ended_at: job.ended_at };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

t.controller.jobs.register(small);
t.controller.jobs.register(many);
const waits: number[] = [];
for (let i = 0; i < pickUps; i += 1) {
  const { started_at, created_at } = await untilEnded((await enqueue(small)).id);
  waits.push(started_at.getTime() - created_at.getTime());
}
const round = await untilEnded((await enqueue(many)).id);
if (round.children_failed > 0) throw new Error(`${round.children_failed} jobs have failed`);
const seconds = (round.ended_at.getTime() - round.created_at.getTime()) / 1000;
console.log(`${jobs} small jobs in ${seconds.toFixed(1)} s: ${Math.round(jobs / seconds)} in a second`);
console.log(`picked up after ${median(waits)} ms (p50), ${percentile(waits, 0.99)} ms (p99), ${pickUps} one by one`);
await t.close();
