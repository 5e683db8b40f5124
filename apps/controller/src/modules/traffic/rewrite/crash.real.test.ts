import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestDatabase } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Jobs, JobTypes } from '../../../platform/jobs/index.ts';
import { openKeyring } from '../../../platform/keyring/index.ts';
import { createControllerDatabase } from '../../../testing/database.ts';
import { createWorld } from '../collector/testing/world.ts';
import { createRewriteJob } from './job.ts';
import { count, idOf, learn, sumSeen } from './testing/world.ts';

const PROCESS = join(import.meta.dirname, 'testing/rewrite-process.ts');
const WAIT = { timeout: 120_000, interval: 20 };
const LEASE_MS = 3000;
const HOST = 'shop.example';
const SYSTEM = { kind: 'system', id: null, name: 'test' } as const;

let database: TestDatabase;
let jobs: Jobs;
const job = createRewriteJob({ readNaming: () => Promise.reject(new Error('not here')), now: () => new Date() });
beforeAll(async () => {
  database = await createControllerDatabase();
  jobs = new Jobs(new JobTypes(await openKeyring({ db: database.db, masterKey: '2a'.repeat(32), keyFile: '' })));
  jobs.register(job);
});
afterAll(() => database?.close());

function startWorker(): ChildProcess {
  const task = { connection: database.server.appConnection(database.name), leaseMs: LEASE_MS };
  const child = spawn(process.execPath, [PROCESS, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  });
  return child;
}

const start = (project: string) =>
  database.db
    .transaction()
    .execute((tx) => jobs.enqueue(tx, job, { params: { apply: true, automatic: false }, project, actor: SYSTEM }));

const readRun = (project: string) =>
  database.db.selectFrom('inventory_rewrites').selectAll().where('project_id', '=', project).executeTakeFirst();

/** Paths of orders and of other things, of which the template of orders is known. */
async function fill(project: string, { orders, others }: { orders: number; others: number }): Promise<number> {
  const names = [
    ...Array.from({ length: orders }, (_, at) => `GET ${HOST}/orders/${at}`),
    ...Array.from({ length: others }, (_, at) => `GET ${HOST}/things/thing${at}x/parts`),
  ];
  for (let at = 0; at < names.length; at += 2000)
    await count(database.db, project, names.slice(at, at + 2000), { seen: 3 });
  await learn(database.db, project, { host: HOST, paths: ['/orders/1', '/orders/2', '/orders/3'] });
  return names.length * 3;
}

describe('a rewrite', { timeout: 180_000 }, () => {
  it('that is killed in its middle is continued by another process, and no request is lost or counted twice', async () => {
    const { project } = await createWorld(database, 'killed');
    let expected = await fill(project, { orders: 3000, others: 500 });
    const { id } = await start(project);
    const first = startWorker();
    await expect.poll(async () => (await readRun(project))?.moved ?? 0, WAIT).toBeGreaterThan(100);
    // Requests keep arriving, named before and after the merge.
    for (let round = 0; round < 5; round += 1) {
      await count(database.db, project, [`GET ${HOST}/orders/${round}`, `GET ${HOST}/orders/{id}`], { seen: 7 });
      expected += 14;
    }
    // The job waits for the lock of the project when it is killed, so it cannot have ended.
    await database.db.transaction().execute(async (tx) => {
      await tx
        .selectFrom('inventory_projects')
        .select('project_id')
        .where('project_id', '=', project)
        .forUpdate()
        .execute();
      const ended = once(first, 'exit');
      first.kill('SIGKILL');
      await ended;
    });
    expect((await readRun(project))?.ended_at).toBeNull();
    expect((await sumSeen(database.db, project)).seen).toBe(expected);
    startWorker();
    const statusOf = async () =>
      (await database.db.selectFrom('jobs').select('status').where('id', '=', id).executeTakeFirst())?.status;
    await expect.poll(statusOf, WAIT).toBe('done');
    expect(await sumSeen(database.db, project)).toEqual({ seen: expected, rows: 501 });
    expect(await readRun(project)).toMatchObject({ ended_at: expect.any(Date), split: 0 });
    const { merges } = await database.db
      .selectFrom('inventory_merges')
      .select(({ fn }) => fn.countAll<number>().as('merges'))
      .where('project_id', '=', project)
      .where('target_id', '=', idOf(project, HOST, '/orders/{id}'))
      .executeTakeFirstOrThrow();
    expect(Number(merges)).toBe(3000);
  });

  it('of two projects with the same hosts at the same time keeps their counts apart', async () => {
    const worlds = [await createWorld(database, 'left'), await createWorld(database, 'right')];
    const expected = new Map<string, number>();
    for (const { project } of worlds) expected.set(project, await fill(project, { orders: 300, others: 10 }));
    startWorker();
    startWorker();
    for (const { project } of worlds) await start(project);
    for (const { project } of worlds) {
      await expect.poll(async () => (await readRun(project))?.ended_at ?? null, WAIT).not.toBeNull();
      expect(await sumSeen(database.db, project)).toEqual({ seen: expected.get(project), rows: 11 });
    }
  });
});
