import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createId } from '@flotilla/kit';
import { isFullTier } from '@flotilla/kit/testing';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createControllerDatabase } from '../../../testing/database.ts';
import { applyBatches, createDelta } from '../inventory/testing/index.ts';
import { copyOperations } from './testing/finding-world.ts';
import type { PassTask } from './testing/pass-process.ts';

const PROCESS = join(import.meta.dirname, 'testing/pass-process.ts');
const OPERATIONS = 2200;
/** Ends of acceptances, owners, five chunks, and operations that are gone. */
const TRANSACTIONS = 8;
const STRIDE = isFullTier ? 1 : 4;

let database: TestDatabase;
beforeAll(async () => {
  database = await createControllerDatabase();
});
afterAll(() => database?.close());

async function run(task: Omit<PassTask, 'connection'>): Promise<string | null> {
  const argument = JSON.stringify({ connection: database.server.appConnection(database.name), ...task });
  const child = spawn(process.execPath, [PROCESS, argument], { stdio: 'inherit' });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(code === 0 || signal === 'SIGKILL').toBe(true);
  return signal;
}

async function addProject(): Promise<string> {
  const id = createId();
  const at = new Date();
  const values = { id, name: `p-${id.slice(-8)}`, description: null, created_at: at, updated_at: at };
  await database.db.insertInto('projects').values(values).execute();
  const atMs = Date.now() - 60_000;
  const batch = { projectId: id, clientId: createId(), serviceId: createId(), epoch: 'e', sequence: 1, now: at };
  await applyBatches(database.db, [
    { ...batch, deltas: [createDelta('GET a.example/', { atMs, flags: { missing_hsts: atMs } })] },
  ]);
  await copyOperations(database.db, id, OPERATIONS - 1);
  return id;
}

it('a pass that is killed at any transaction makes each finding and its history once', async () => {
  const project = await addProject();
  let kills = 0;
  for (let crashAt = 1; crashAt <= TRANSACTIONS; crashAt += STRIDE)
    for (const crash of ['before commit', 'after commit'] as const)
      if ((await run({ crashAt, crash })) === 'SIGKILL') kills += 1;
  expect(kills).toBeGreaterThanOrEqual(TRANSACTIONS / STRIDE);
  await run({});
  const { rows } = await sql<{ findings: number; operations: number; entries: number; sightings: number }>`
    select count(*)::int as findings, count(distinct operation_id)::int as operations, sum(sightings)::int as sightings,
      (select count(*)::int from inventory_finding_history where project_id = ${project}) as entries
    from inventory_findings where project_id = ${project}`.execute(database.db);
  expect(rows).toEqual([{ findings: OPERATIONS, operations: OPERATIONS, entries: OPERATIONS, sightings: OPERATIONS }]);
}, 300_000);
