import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { type EventStore, toProjectId } from '@flotilla/event-store';
import { createSilentLogger, Lifecycle } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openKeyring } from '../../../platform/keyring/index.ts';
import { openSettings } from '../../../platform/settings/index.ts';
import { createControllerDatabase } from '../../../testing/database.ts';
import { composeCollector } from './compose-collector.ts';
import { applyToTestCatalogue } from './testing/catalogue-store.ts';
import { SEAT_TIMING } from './testing/seat-timing.ts';
import { EVENTS_PER_BATCH, sendBatches } from './testing/send-batches.ts';
import { createCatalogue, createController, createWorld, type World } from './testing/world.ts';

const PROCESS = join(import.meta.dirname, 'testing/seat-process.ts');
const WAIT = { interval: 50 };
const MANY = 1_000_000;
const AFTER = 10;
const logger = createSilentLogger();

let database: TestDatabase;
beforeAll(async () => {
  database = await createControllerDatabase();
  await createCatalogue(database);
});
afterAll(() => database?.close());

/** A controller in a process of its own, which collects until it is killed. */
async function startFirst(world: World, dataDir: string) {
  const connection = database.server.appConnection(database.name);
  const controllerId = await createController(database);
  const task = JSON.stringify({ connection, dataDir, controllerId, ...world, first: 1, last: MANY });
  const child: ChildProcess = spawn(process.execPath, [PROCESS, task], { stdio: ['ignore', 'pipe', 'inherit'] });
  const acknowledged: number[] = [];
  let rest = '';
  child.stdout?.on('data', (part: Buffer) => {
    const lines = (rest + String(part)).split('\n');
    rest = lines.pop() ?? '';
    acknowledged.push(...lines.map(Number));
  });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  onTestFinished(kill);
  return { child, acknowledged, kill };
}

/** A second controller with the same folder, in this process. */
async function startSecond(dataDir: string) {
  const lifecycle = new Lifecycle();
  const { db } = database;
  const keyring = await openKeyring({ db, masterKey: '2a'.repeat(32), keyFile: '' });
  const settings = await openSettings({ database, keyring, logger });
  lifecycle.add(() => settings.close());
  const second = await composeCollector(
    {
      config: { eventStore: { kind: 'duckdb', path: join(dataDir, 'events.duckdb') } },
      database,
      keyring,
      settings,
      logger,
      metrics: new Registry(),
      lifecycle,
    },
    {
      controllerId: await createController(database),
      applyBatches: applyToTestCatalogue,
      onNamesChanged: () => {},
      seatTiming: SEAT_TIMING,
    },
  );
  onTestFinished(() => lifecycle.close());
  return second;
}

async function expectOnce(world: World, { store, last }: { store: EventStore | undefined; last: number }) {
  const now = Date.now();
  const totals = await store?.totals(toProjectId(world.project), { from: now - 3_600_000, to: now + 60_000 });
  expect(totals?.data.events).toBe(last * EVENTS_PER_BATCH);
  const { rows } = await sql`
    select count(*)::int as batches, sum(seen)::int as seen from test_catalogue
    where client = ${world.client}::uuid`.execute(database.owner);
  expect(rows).toEqual([{ batches: last, seen: last * EVENTS_PER_BATCH }]);
}

async function prepare(name: string) {
  const dataDir = await mkdtemp(join(tmpdir(), 'flotilla-seat-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const world = await createWorld(database, name);
  const first = await startFirst(world, dataDir);
  await expect.poll(() => first.acknowledged.length, WAIT).toBeGreaterThan(4);
  return { world, first, second: await startSecond(dataDir) };
}

describe('of two controllers with one embedded store, the second', { timeout: 120_000 }, () => {
  it('puts batches off and says why, and stores the backlog once when the first is killed', async () => {
    const { world, first, second } = await prepare('killed');
    expect(second.events).toMatchObject({
      store: undefined,
      reason: expect.stringContaining('Another controller has'),
    });
    const last = Math.max(...first.acknowledged) + AFTER;
    const batch = create(fleet.LogBatchSchema, {
      serviceId: world.service,
      epoch: 'epoch-1',
      sequence: BigInt(last),
      entries: 1,
      payload: Uint8Array.of(1),
    });
    const refused = await second.logs.push({ clientId: world.client, projectId: world.project }, batch);
    expect(refused).toHaveProperty('retryMs');
    await first.kill();
    // The agent connects to the second one, which may already have some batches whose answers were lost.
    const owed = firstOwed(first.acknowledged);
    const end = Math.max(owed, ...first.acknowledged) + AFTER;
    await sendBatches(second.logs, { ...world, first: owed, last: end }, () => undefined);
    await expectOnce(world, { store: second.events.store, last: end });
  });

  it('waits for the file when the first only hung, and both together store each batch once', async () => {
    const { world, first, second } = await prepare('hung');
    first.child.kill('SIGSTOP');
    await expect.poll(() => second.events.reason, WAIT).toContain('cannot be opened');
    first.child.kill('SIGCONT');
    // The first one notices that its lease is over, and gives the file back.
    await expect.poll(() => second.events.store !== undefined, WAIT).toBe(true);
    await first.kill();
    const owed = firstOwed(first.acknowledged);
    const end = Math.max(owed, ...first.acknowledged) + AFTER;
    await sendBatches(second.logs, { ...world, first: owed, last: end }, () => undefined);
    await expectOnce(world, { store: second.events.store, last: end });
  });
});

/** The first number without an answer: an agent goes on there. */
function firstOwed(acknowledged: readonly number[]): number {
  const known = new Set(acknowledged);
  let next = 1;
  while (known.has(next)) next += 1;
  return next;
}
