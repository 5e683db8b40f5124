import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeBatch, type LogEntry } from '@flotilla/access-log';
import { createEntry } from '@flotilla/collector/testing';
import { publish } from '@flotilla/db';
import { toOperationId } from '@flotilla/inventory';
import type { TestDatabase } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { noteReset } from '../resets/index.ts';
import type { CollectTask } from './testing/collect-process.ts';
import { type CollectorParts, createRecordedCollector, openCollectorParts } from './testing/collector-parts.ts';
import { createCatalogue, createWorld, type World } from './testing/world.ts';

const PROCESS = join(import.meta.dirname, 'testing/collect-process.ts');
const WAIT = { interval: 50 };
const ORDERS = '/api/orders';

let parts: CollectorParts;
let database: TestDatabase;
beforeAll(async () => {
  parts = await openCollectorParts();
  ({ database } = parts);
  await createCatalogue(database);
});
afterAll(() => parts?.close());

/** A collector without an event store, which stores what it has learned when it stops. */
async function startCollector() {
  const recorded = createRecordedCollector(parts, { store: { kind: 'off' } });
  onTestFinished(() => recorded.collector.close());
  await recorded.collector.start();
  return recorded;
}

type Started = Awaited<ReturnType<typeof startCollector>>;

let sequence = 1000;

/** Sends the requests in one batch of an epoch of its own, and returns the flags of each operation. */
async function flagsOf({ collector, applied }: Started, world: World, requests: readonly Partial<LogEntry>[]) {
  sequence += 1;
  const batch = {
    serviceId: world.service,
    epoch: `epoch-${sequence}`,
    sequence: BigInt(sequence),
    entries: requests.length,
    payload: Uint8Array.from(
      encodeBatch({
        listener: 'public',
        entries: requests.map((request) => createEntry({ timeMs: Date.now(), path: ORDERS, ...request })),
      }),
    ),
  };
  const client = { clientId: world.client, projectId: world.project };
  await expect.poll(() => collector.push(client, batch), WAIT).toEqual({ stored: true });
  return applied
    .filter((one) => one.sequence === sequence)
    .flatMap(({ deltas }) => deltas.flatMap(({ flags }) => Object.keys(flags)));
}

const usual = Array.from({ length: 60 }, (_, index) => ({ responseBytes: 2000 + index, latencyUs: 9000 + index }));
const large = [1, 2].map(() => ({ responseBytes: 5_000_000 }));
const OVERSIZED = 'oversized_response';
const FALSE_ALARMS = [OVERSIZED, 'latency_anomaly', 'error_rate_spike', 'rate_anomaly', 'ip_rate_anomaly'];

describe('what detectors have learned', { timeout: 180_000 }, () => {
  it('survives a clean stop: usual traffic raises no flag, and unusual traffic does at once', async () => {
    const world = await createWorld(database, 'clean stop');
    const before = await startCollector();
    await flagsOf(before, world, usual);
    await before.collector.close();
    const after = await startCollector();
    const flags = await flagsOf(after, world, usual);
    expect(FALSE_ALARMS.filter((flag) => flags.includes(flag))).toEqual([]);
    expect(await flagsOf(after, world, large)).toContain(OVERSIZED);
    const fresh = await createWorld(database, 'without a past');
    expect(await flagsOf(after, fresh, large)).not.toContain(OVERSIZED);
  });

  it('survives kill -9 under load', async () => {
    const world = await createWorld(database, 'killed');
    const dataDir = await mkdtemp(join(tmpdir(), 'flotilla-collector-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    const connection = database.server.appConnection(database.name);
    const task: CollectTask = { ...world, connection, dataDir, first: 1, last: 100_000, learnersMs: 200 };
    const child = spawn(process.execPath, [PROCESS, JSON.stringify(task)], { stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = once(child, 'exit');
    onTestFinished(() => void child.kill('SIGKILL'));
    // The second state: the first one may have been stored before the first batch was.
    const versions = new Set<number>();
    await expect
      .poll(async () => {
        const { rows } = await findStates(world);
        for (const { updated_at } of rows) versions.add(updated_at.getTime());
        return versions.size;
      }, WAIT)
      .toBeGreaterThan(1);
    child.kill('SIGKILL');
    expect((await ended)[1]).toBe('SIGKILL');
    const after = await startCollector();
    const path = `${ORDERS}/1`;
    const flags = await flagsOf(
      after,
      world,
      usual.map(() => ({ path })),
    );
    expect(FALSE_ALARMS.filter((flag) => flags.includes(flag))).toEqual([]);
    expect(
      await flagsOf(
        after,
        world,
        large.map((request) => ({ ...request, path })),
      ),
    ).toContain(OVERSIZED);
  });

  it('is never that of another project with the same hosts and paths', async () => {
    const [one, other] = [await createWorld(database, 'one of two'), await createWorld(database, 'other of two')];
    const before = await startCollector();
    await flagsOf(before, one, usual);
    await before.collector.close();
    const after = await startCollector();
    expect(await flagsOf(after, other, large)).not.toContain(OVERSIZED);
    expect(await flagsOf(after, one, large)).toContain(OVERSIZED);
  });

  it('is forgotten for an operation that is reset, also while no collector runs', async () => {
    const world = await createWorld(database, 'reset');
    const carts = '/api/carts';
    const before = await startCollector();
    await flagsOf(before, world, [...usual, ...usual.map((request) => ({ ...request, path: carts }))]);
    await before.collector.close();
    await reset(world, ORDERS);
    const after = await startCollector();
    expect(await flagsOf(after, world, large)).not.toContain(OVERSIZED);
    expect(
      await flagsOf(
        after,
        world,
        large.map((request) => ({ ...request, path: carts })),
      ),
    ).toContain(OVERSIZED);
  });

  it('is forgotten by a collector that runs, and what it learns afterwards stays', async () => {
    const world = await createWorld(database, 'reset at work');
    const { collector, ...rest } = await startCollector();
    const started = { collector, ...rest };
    await flagsOf(started, world, usual);
    await reset(world, ORDERS);
    await database.db.transaction().execute((tx) => publish(tx, 'documents.changed', {}, new Date()));
    // The state of a collector that has followed has the number of the reset.
    await expect
      .poll(async () => {
        await flagsOf(started, world, [{ path: '/api/other' }]);
        await collector.stop('stored');
        await collector.start();
        return (await findStates(world)).rows.some(({ last_reset }) => Number(last_reset) > 0);
      }, WAIT)
      .toBe(true);
    expect(await flagsOf(started, world, large)).not.toContain(OVERSIZED);
    await flagsOf(started, world, usual);
    await collector.stop('stored');
    await collector.start();
    expect(await flagsOf(started, world, large)).toContain(OVERSIZED);
  });

  it.each([
    ['damaged', Buffer.from('not what was written')],
    ['empty', Buffer.alloc(0)],
  ])('is learned again when the stored state is %s, and people see a problem', async (name, state) => {
    const world = await createWorld(database, `state that is ${name}`);
    const before = await startCollector();
    await flagsOf(before, world, usual);
    await before.collector.close();
    await database.db
      .updateTable('collector_detectors')
      .set({ state })
      .where('project_id', '=', world.project)
      .execute();
    const after = await startCollector();
    expect(await flagsOf(after, world, large)).not.toContain(OVERSIZED);
    expect(await after.metrics.metrics()).toContain('flotilla_collector_problems_total{what="detectors"} 1');
    await flagsOf(after, world, usual);
    expect(await flagsOf(after, world, large)).toContain(OVERSIZED);
  });
});

async function findStates({ project }: World) {
  const found = database.db.selectFrom('collector_detectors').where('project_id', '=', project);
  return { rows: await found.select(['updated_at', 'last_reset']).execute() };
}

async function reset({ project }: World, normalizedPath: string): Promise<void> {
  const key = { method: 'GET', host: 'shop.example.com', normalizedPath, operation: '' } as const;
  await database.db.transaction().execute((tx) => noteReset(tx, project, [toOperationId(project, key)]));
}
