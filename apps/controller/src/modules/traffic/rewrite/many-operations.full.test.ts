import { createId, createSilentLogger } from '@flotilla/kit';
import { readRssMb, type TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Jobs, JobTypes, Runner } from '../../../platform/jobs/index.ts';
import { openKeyring } from '../../../platform/keyring/index.ts';
import { openSettings, type Settings } from '../../../platform/settings/index.ts';
import { createControllerDatabase } from '../../../testing/database.ts';
import { NAME_SOURCES, readStoredNaming } from '../collector/index.ts';
import { createWorld } from '../collector/testing/world.ts';
import { createRewriteJob } from './job.ts';
import { count, idOf, learn, sumSeen } from './testing/world.ts';

const HOST = 'shop.example';
const OPERATIONS = 100_000;
const GROWTH_MAX_MB = 400;
const WAIT = { timeout: 1_200_000, interval: 500 };

let database: TestDatabase;
let settings: Settings;
beforeAll(async () => {
  database = await createControllerDatabase();
});
afterAll(async () => {
  await settings?.close();
  await database?.close();
});

/** Copies an operation under other paths, faster than collectors could. */
async function copyOperations(project: string): Promise<void> {
  const id = idOf(project, HOST, '/orders/0');
  const columns = sql.raw(
    'confirmed, is_other, method, host, operation, first_seen, last_seen, seen, classes, error_rate, latency_max_ms, response_bytes, risk, posture_risk, active_risk, active_posture_risk, active_until, flags, active_flags, pii, active_pii, categories, schemes, protocols, auth_posture, services, clients, listeners',
  );
  await sql`insert into inventory_operations (project_id, id, path, ${columns})
    select project_id, lpad(to_hex(n), 16, '0'), '/orders/' || n, ${columns}
    from inventory_operations, generate_series(1, ${OPERATIONS}::int) n where project_id = ${project} and id = ${id}`.execute(
    database.owner,
  );
  await sql`insert into inventory_details (project_id, operation_id, state)
    select project_id, lpad(to_hex(n), 16, '0'), jsonb_set(state, '{key,normalizedPath}', to_jsonb('/orders/' || n))
    from inventory_details, generate_series(1, ${OPERATIONS}::int) n
    where project_id = ${project} and operation_id = ${id}`.execute(database.owner);
}

it('a hundred thousand operations become one in bounded memory, while collectors write', {
  timeout: 1_500_000,
}, async () => {
  const { db } = database;
  const logger = createSilentLogger();
  const keyring = await openKeyring({ db, masterKey: '2a'.repeat(32), keyFile: '' });
  settings = await openSettings({ database, keyring, logger });
  const { project } = await createWorld(database, 'many');
  await count(db, project, [`GET ${HOST}/orders/0`]);
  await copyOperations(project);
  await learn(db, project, { host: HOST, paths: ['/orders/1', '/orders/2', '/orders/3'] });
  const jobs = new Jobs(new JobTypes(keyring));
  const job = createRewriteJob({
    readNaming: (of) => readStoredNaming(db, of, { settings, ...NAME_SOURCES }),
    now: () => new Date(),
  });
  jobs.register(job);
  const runner = new Runner({ database, logger, types: jobs.types, workerId: createId(), authorize: async () => ({}) });
  await runner.start();
  const before = await readRssMb(process.pid);
  const actor = { kind: 'system', id: null, name: 'test' } as const;
  const { id } = await db
    .transaction()
    .execute((tx) => jobs.enqueue(tx, job, { params: { apply: true, automatic: false }, project, actor }));
  let written = 0;
  let largest = before;
  const statusOf = async () => {
    written += 1;
    await count(db, project, [`GET ${HOST}/orders/{id}`]);
    largest = Math.max(largest, await readRssMb(process.pid));
    return (await db.selectFrom('jobs').select('status').where('id', '=', id).executeTakeFirst())?.status;
  };
  await expect.poll(statusOf, WAIT).toBe('done');
  await runner.close();
  expect(await sumSeen(db, project)).toEqual({ seen: OPERATIONS + 1 + written, rows: 1 });
  expect(largest - before).toBeLessThan(GROWTH_MAX_MB);
});
