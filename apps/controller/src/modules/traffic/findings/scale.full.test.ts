import { createId, systemClock } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createControllerDatabase } from '../../../testing/database.ts';
import { applyBatches, createDelta } from '../inventory/testing/index.ts';
import { runPass } from './pass.ts';
import { copyOperations } from './testing/finding-world.ts';

const OPERATIONS = 100_000;
/** Operations of one transaction. */
const CHUNK = 500;

let database: TestDatabase;
beforeAll(async () => {
  database = await createControllerDatabase();
});
afterAll(() => database?.close());

it('100,000 operations get their findings in short transactions', async () => {
  const { db } = database;
  const [project, at, atMs] = [createId(), new Date(), Date.now() - 60_000];
  const values = { id: project, name: 'large', description: null, created_at: at, updated_at: at };
  await db.insertInto('projects').values(values).execute();
  const deltas = [createDelta('GET a.example/', { atMs, flags: { missing_hsts: atMs, missing_csp: atMs } })];
  const batch = { projectId: project, clientId: createId(), serviceId: createId(), epoch: 'e', sequence: 1 };
  await applyBatches(db, [{ ...batch, deltas, now: at }]);
  await copyOperations(db, project, OPERATIONS - 1);
  const steps: number[] = [];
  const pass = async () => {
    const begunMs = performance.now();
    await runPass({
      db,
      clock: systemClock,
      write: async (work) => {
        const startMs = performance.now();
        const done = await db.transaction().execute(work);
        steps.push(performance.now() - startMs);
        return done;
      },
    });
    return performance.now() - begunMs;
  };
  const figures = { passes: [] as number[], longestStep: 0 };
  // A pass ends after its deadline; the next one continues.
  for (let i = 0; i < 10; i += 1) {
    figures.passes.push(Math.round(await pass()));
    const { rows } = await sql<{ done: boolean }>`
      select after_id is null as done from inventory_finding_passes where project_id = ${project}`.execute(db);
    if (rows[0]?.done && i > 0) break;
  }
  figures.longestStep = Math.round(Math.max(...steps));
  process.stdout.write(`${JSON.stringify({ ...figures, steps: steps.length })}\n`);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from inventory_findings where project_id = ${project}`.execute(db);
  expect(rows).toEqual([{ count: 200_000 }]);
  expect(steps.length).toBeGreaterThanOrEqual(OPERATIONS / CHUNK);
}, 300_000);
