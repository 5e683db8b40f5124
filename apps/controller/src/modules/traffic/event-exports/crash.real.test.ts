import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createId } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createControllerDatabase } from '../../../testing/database.ts';
import { createWorld } from '../collector/testing/world.ts';
import { insertExport } from './export-store.ts';
import type { ExportTask } from './testing/export-process.ts';
import { SyslogServer } from './testing/syslog-server.ts';

const PROCESS = join(import.meta.dirname, 'testing/export-process.ts');
const WAIT = { timeout: 90_000, interval: 20 };
const BATCHES = 20;
const EVENTS_PER_BATCH = 2500;

let database: TestDatabase;
beforeAll(async () => {
  database = await createControllerDatabase();
});
afterAll(() => database?.close());

const children: ChildProcess[] = [];
async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
afterAll(() => Promise.all(children.map(kill)));

async function start(task: Omit<ExportTask, 'connection'>): Promise<ChildProcess> {
  const argument = JSON.stringify({ connection: database.server.appConnection(database.name), ...task });
  const child = spawn(process.execPath, [PROCESS, argument], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

async function createExport(projectId: string, port: number): Promise<void> {
  const target = {
    kind: 'syslog',
    host: '127.0.0.1',
    port,
    protocol: 'tcp',
    facility: 'local0',
    app_name: 'flotilla',
    ca_cert: null,
    client_cert: null,
  } as const;
  const selection = {
    decisions: ['allowed' as const, 'blocked' as const, 'detected' as const],
    min_risk: null,
    flags: [],
    service_ids: [],
    hosts: [],
    findings: true,
  };
  await database.db
    .transaction()
    .execute((tx) =>
      insertExport(
        tx,
        { id: createId(), projectId, now: new Date(), by: 'test' },
        { name: 'siem', enabled: true, target, selection, sealed: null, secret_updated_at: null },
      ),
    );
}

/** A killed process keeps its lease: the clock of the test does not wait for its end. */
async function endLeases(): Promise<void> {
  await sql`update event_exports set leased_until = clock_timestamp() - interval '1 s'`.execute(database.owner);
}

describe('a controller that is killed while it sends', { timeout: 180_000 }, () => {
  it('continues where it was: nothing is lost, and what comes twice has the same id', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-exports-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { project } = await createWorld(database, 'killed while sending');
    const server = await SyslogServer.open();
    onTestFinished(() => server.close());
    await createExport(project, server.port);
    const task = { path: join(folder, 'events.duckdb'), project, eventsPerBatch: EVENTS_PER_BATCH };
    const first = await start({ ...task, batches: BATCHES });
    await expect.poll(() => server.ids.length, WAIT).toBeGreaterThan(3000);
    await kill(first);
    const before = server.ids.length;
    expect(before).toBeLessThan(BATCHES * EVENTS_PER_BATCH);
    await endLeases();
    await start({ ...task, batches: 0 });
    await expect.poll(() => new Set(server.ids).size, WAIT).toBe(BATCHES * EVENTS_PER_BATCH);
    // One batch at most was on its way when the process was killed.
    expect(server.ids.length - BATCHES * EVENTS_PER_BATCH).toBeLessThanOrEqual(1000);
    expect(server.problems.filter((problem) => !problem.includes('after the last frame'))).toEqual([]);
  });
});
