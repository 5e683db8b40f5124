import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeBatch } from '@flotilla/access-log';
import { createEntry } from '@flotilla/collector/testing';
import { toProjectId } from '@flotilla/event-store';
import { createId, createSilentLogger } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openKeyring } from '../../../platform/keyring/index.ts';
import type { Settings } from '../../../platform/settings/index.ts';
import type { Collector, CollectorLimits } from './collector.ts';
import { ProjectKeys } from './project-keys.ts';
import { type CollectorParts, createRecordedCollector, openCollectorParts } from './testing/collector-parts.ts';
import { createWorld, type World } from './testing/world.ts';

const _logger = createSilentLogger();
/** The thread with a defect. */
const FRAGILE = new URL('./testing/fragile-worker.ts', import.meta.url);
const WAIT = { interval: 50 };

let parts: CollectorParts;
let database: TestDatabase;
let settings: Settings;
let world: World;
let other: World;
beforeAll(async () => {
  parts = await openCollectorParts();
  ({ database, settings } = parts);
  world = await createWorld(database, 'one');
  other = await createWorld(database, 'other');
});
afterAll(() => parts?.close());

interface Options {
  readonly store?: 'off';
  readonly limits?: Partial<CollectorLimits>;
  readonly worker?: URL;
  /** Called before a group of batches is applied. */
  readonly beforeApply?: () => Promise<void>;
}

/** A collector with a store of its own and a catalogue in memory. */
async function startCollector({ store, limits, worker, beforeApply }: Options = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-collector-'));
  const { collector, applied, metrics } = createRecordedCollector(
    parts,
    {
      store: store === 'off' ? { kind: 'off' } : { kind: 'duckdb', path: join(folder, 'events.duckdb') },
      ...(limits && { limits }),
      ...(worker && { worker }),
    },
    beforeApply,
  );
  onTestFinished(async () => {
    await collector.close();
    await rm(folder, { recursive: true });
  });
  await collector.start();
  if (store !== 'off') await expect.poll(() => collector.events.store !== undefined, WAIT).toBe(true);
  return {
    collector,
    applied,
    metrics,
    seen: () => applied.flatMap(({ deltas }) => deltas).reduce((sum, { seen }) => sum + seen, 0),
  };
}

type Push = Partial<World> & {
  readonly sequence: number;
  readonly epoch?: string;
  readonly count?: number;
  readonly path?: string;
  readonly payload?: Uint8Array;
};

function push(collector: Collector, { sequence, epoch = 'e', count = 10, path = '/x', payload, ...given }: Push) {
  const { project, client, service } = { ...world, ...given };
  const entries = Array.from({ length: count }, () => createEntry({ timeMs: Date.now(), path }));
  return collector.push(
    { clientId: client, projectId: project },
    {
      serviceId: service,
      epoch,
      sequence: BigInt(sequence),
      entries: count,
      payload: payload ?? Uint8Array.from(encodeBatch({ listener: 'public', entries })),
    },
  );
}

/** Sends until it is stored, as an agent does. */
async function deliver(collector: Collector, batch: Push): Promise<void> {
  await expect.poll(() => push(collector, batch), WAIT).toEqual({ stored: true });
}

const window = () => ({ from: Date.now() - 600_000, to: Date.now() + 60_000 });
const countEvents = async (collector: Collector, { project } = world) =>
  (await collector.events.store?.totals(toProjectId(project), window()))?.data.events;

describe('the collector', { timeout: 120_000 }, () => {
  it('answers when the event store and the catalogue have a batch', async () => {
    const { collector, seen } = await startCollector();
    expect(await push(collector, { sequence: 1 })).toEqual({ stored: true });
    expect(seen()).toBe(10);
    expect(await countEvents(collector)).toBe(10);
  });

  it('throws away batches of services that the client does not run, also of another project', async () => {
    const { collector, seen, metrics } = await startCollector();
    const strangers = [
      { service: createId() },
      { service: other.service },
      { client: other.client },
      { project: other.project },
      { service: "'; drop table" },
      { epoch: '' },
      // The second one of its sender.
      { payload: Uint8Array.of(1, 2, 3), sequence: 2 },
    ];
    for (const stranger of strangers) {
      expect(await push(collector, { sequence: 1, ...stranger })).toEqual({ stored: true });
    }
    expect(seen()).toBe(0);
    expect(await countEvents(collector, other)).toBe(0);
    const text = await metrics.metrics();
    expect(text).toContain('flotilla_collector_batches_total{outcome="unassigned"} 4');
    expect(text).toContain('flotilla_collector_batches_total{outcome="malformed"} 3');
  });

  it('handles a batch that comes twice at the same time once', async () => {
    const { collector, seen } = await startCollector();
    const answers = await Promise.all([1, 2, 3].map(() => push(collector, { sequence: 1 })));
    expect(answers).toEqual(new Array(3).fill({ stored: true }));
    expect(seen()).toBe(10);
  });

  it('puts later batches off until a missing one came, so that none is lost', async () => {
    const { collector, seen } = await startCollector();
    await deliver(collector, { sequence: 1 });
    expect(await push(collector, { sequence: 3 })).toHaveProperty('retryMs');
    expect(await push(collector, { sequence: 2 })).toEqual({ stored: true });
    await deliver(collector, { sequence: 3 });
    expect(seen()).toBe(30);
    expect(await countEvents(collector)).toBe(30);
  });

  it('accepts that a number is missing for good', async () => {
    const { collector, applied } = await startCollector();
    await deliver(collector, { sequence: 1 });
    await deliver(collector, { sequence: 5 });
    expect(applied.map(({ sequence }) => sequence)).toEqual([1, 5]);
  });

  it('keeps what the event store has while the database does not answer', async () => {
    let failures = 3;
    const { collector, seen } = await startCollector({
      beforeApply: async () => {
        failures -= 1;
        if (failures >= 0) throw new Error('the database does not answer');
      },
    });
    const answers = await Promise.all([1, 2, 3].map((sequence) => push(collector, { sequence })));
    expect(answers).toEqual(new Array(3).fill({ stored: true }));
    expect(seen()).toBe(30);
    expect(await countEvents(collector)).toBe(30);
  });

  it('puts batches off when too many wait, and loses none of them', async () => {
    const { collector, seen } = await startCollector({ limits: { queuedEntries: 600 } });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => push(collector, { sequence: index + 1, count: 200 })),
    );
    expect(answers.some((answer) => 'retryMs' in answer)).toBe(true);
    for (const [index, answer] of answers.entries()) {
      if ('retryMs' in answer) await deliver(collector, { sequence: index + 1, count: 200 });
    }
    expect(seen()).toBe(2400);
    expect(await countEvents(collector)).toBe(2400);
  });

  it('collects operations without an event store', async () => {
    const { collector, seen } = await startCollector({ store: 'off' });
    expect(collector.events.store).toBeUndefined();
    expect(collector.events.reason).toContain('SVC_EVENT_STORE=off');
    await deliver(collector, { sequence: 1 });
    expect(seen()).toBe(10);
  });

  it('stops and starts again with the same file', async () => {
    const { collector, seen } = await startCollector();
    await deliver(collector, { sequence: 1 });
    await collector.stop('Another controller has the event store.');
    expect(collector.events).toMatchObject({ store: undefined, reason: 'Another controller has the event store.' });
    expect(await push(collector, { sequence: 2 })).toHaveProperty('retryMs');
    await collector.start();
    await deliver(collector, { sequence: 2 });
    expect(seen()).toBe(20);
    expect(await countEvents(collector)).toBe(20);
  });

  it.each([
    ['an error', '/ends-the-thread'],
    ['too much memory', '/fills-the-thread'],
  ])(
    'starts its thread again after %s, throws away the batch that is the reason, and stores all others once',
    async (_, path) => {
      const { collector, seen, applied, metrics } = await startCollector({ store: 'off', worker: FRAGILE });
      await deliver(collector, { sequence: 1 });
      const all = [2, 3, 4, 5].map((sequence) => ({ sequence, ...(sequence === 3 && { path }) }));
      const others = [1, 2, 3].map((sequence) => ({ ...other, sequence }));
      await Promise.all([...all, ...others].map((batch) => deliver(collector, batch)));
      expect(seen()).toBe(70);
      // The number that is missing shows as a gap.
      const ours = applied.filter(({ projectId }) => projectId === world.project).map(({ sequence }) => sequence);
      expect(ours).toEqual([1, 2, 4, 5]);
      const text = await metrics.metrics();
      expect(text).toContain('flotilla_collector_batches_total{outcome="thrown_away"} 1');
      expect(text).toMatch(/flotilla_collector_thread_ends_total [2-9]/);
    },
  );

  it('deletes the events of a project that does not exist any more, and no others', async () => {
    const { collector } = await startCollector();
    const gone = await createWorld(database, 'gone');
    await deliver(collector, { ...gone, sequence: 1 });
    await deliver(collector, { sequence: 1 });
    for (const table of ['services', 'clients'] as const)
      await database.db.deleteFrom(table).where('project_id', '=', gone.project).execute();
    await database.db.deleteFrom('projects').where('id', '=', gone.project).execute();
    await collector.stop('stopped');
    await collector.start();
    await expect.poll(() => collector.events.store?.projects(), WAIT).toEqual([world.project]);
    expect(await countEvents(collector)).toBe(10);
  });

  it('hashes with a key of the project that is encrypted, and finds hashes of previous keys', async () => {
    const at = { now: Date.now() };
    const { db } = database;
    const keyring = await openKeyring({ db, masterKey: '2a'.repeat(32), keyFile: '' });
    const rotating = new ProjectKeys({ db, keyring, settings, now: () => new Date(at.now) });
    const first = await rotating.current(other.project);
    const stored = await db.selectFrom('collector_keys').selectAll().where('project_id', '=', other.project).execute();
    expect(stored).toHaveLength(1);
    expect(stored[0]?.sealed_key.includes(Buffer.from(first?.key ?? []))).toBe(false);
    const [before] = await rotating.hashesOf(other.project, 'source', '198.51.100.7');
    at.now += 91 * 86_400_000;
    const second = await rotating.current(other.project);
    expect(second?.id).not.toBe(first?.id);
    const hashes = await rotating.hashesOf(other.project, 'source', '198.51.100.7');
    expect(hashes).toHaveLength(2);
    expect(hashes[1]).toEqual(before);
    expect(hashes.map(({ keyId }) => keyId)).toEqual([second?.id, first?.id]);
    expect(await rotating.current(createId())).toBeUndefined();
  });
});
