import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStore, openClickHouseStore, openDuckDbStore, toProjectId } from '@flotilla/event-store';
import { connectInProcess } from '@flotilla/event-store/testing';
import { createEvent, createTraffic } from '@flotilla/event-store/testing/events';
import { afterAll, describe, expect, it } from 'vitest';
import { type MoveDeps, moveBetween } from './move.ts';
import { ProgressFile } from './progress-file.ts';

const DAY_MS = 86_400_000;
const nowMs = Date.now();
const [shop, bank] = [toProjectId('shop'), toProjectId('bank')];
const folder = mkdtempSync(join(tmpdir(), 'move-events-'));
const stores: EventStore[] = [];
afterAll(async () => {
  for (const store of stores) await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function keep(opening: Promise<EventStore>): Promise<EventStore> {
  const store = await opening;
  stores.push(store);
  return store;
}
const openFile = (name: string) => keep(openDuckDbStore({ path: join(folder, `${name}.duckdb`), tailRows: 500 }));
let databases = 0;
const openServer = () => {
  databases += 1;
  return keep(openClickHouseStore({ server: connectInProcess(folder), database: `moved_${databases}` }));
};

async function fill(store: EventStore): Promise<void> {
  const traffic = createTraffic(3000, { seed: 4, startMs: nowMs - 5 * DAY_MS, spanMs: 5 * DAY_MS - 1000 });
  for (let sequence = 0; sequence < 3; sequence += 1) {
    const events = traffic.slice(sequence * 1000, (sequence + 1) * 1000);
    await store.append(shop, { sender: 'edge-1', epoch: '1', sequence: sequence + 1, events });
  }
  const other = [createEvent({ timeMs: nowMs - 9 * DAY_MS }), createEvent({ timeMs: nowMs - 1000, weight: 7 })];
  await store.append(bank, { sender: 'edge-2', epoch: '1', sequence: 1, events: other });
}

const idsOf = async (store: EventStore, project = shop) =>
  (await store.exportEvents(project, { cursor: null, limit: 50_000 })).events.map(
    ({ id, timeMs }) => `${timeMs}.${id}`,
  );

function move(from: EventStore, to: EventStore, more: Partial<MoveDeps> = {}) {
  const file = new ProgressFile(mkdtempSync(join(folder, 'progress-')));
  const signal = new AbortController().signal;
  const quiet = async () => true;
  return moveBetween({
    from,
    to,
    between: 'a -> b',
    file,
    signal,
    isQuiet: quiet,
    onProgress: () => undefined,
    batchEvents: 700,
    ...more,
  });
}

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('events', { timeout: 120_000 }, () => {
  it('move from a file to ClickHouse and back, with their ids', async () => {
    const source = await openFile('source');
    await fill(source);
    const server = await openServer();
    expect(await move(source, server)).toEqual({ kind: 'moved', events: 3002, projects: 2 });
    expect(await idsOf(server)).toEqual(await idsOf(source));
    const back = await openFile('back');
    expect(await move(server, back)).toMatchObject({ kind: 'moved', events: 3002 });
    expect(await idsOf(back)).toEqual(await idsOf(source));
    expect(await idsOf(back, bank)).toEqual(await idsOf(source, bank));
    const range = { from: nowMs - 6 * DAY_MS, to: nowMs + DAY_MS, resolution: '1h' as const };
    expect(await back.totals(shop, range)).toEqual(await source.totals(shop, range));
  });
});

describe('a move', { timeout: 120_000 }, () => {
  it('continues after an interruption, and stores nothing twice', async () => {
    const [source, target] = [await openFile('interrupted'), await openFile('interrupted-target')];
    await fill(source);
    const file = new ProgressFile(mkdtempSync(join(folder, 'progress-')));
    const stop = new AbortController();
    let saves = 0;
    const onProgress = () => {
      saves += 1;
      if (saves === 2) stop.abort();
    };
    await expect(move(source, target, { file, signal: stop.signal, onProgress })).rejects.toThrow();
    expect((await target.health()).events).toBeLessThan(3002);
    expect(await move(source, target, { file })).toMatchObject({ kind: 'moved', events: 3002 });
    expect((await target.health()).events).toBe(3002);
    expect(await file.read('a -> b')).toBeUndefined();
  });

  it('refuses a target that has events, and reports days that differ', async () => {
    const [source, target] = [await openFile('different'), await openFile('different-target')];
    await fill(source);
    await target.append(bank, {
      sender: 'x',
      epoch: '1',
      sequence: 1,
      events: [createEvent({ timeMs: nowMs - 1000 })],
    });
    expect(await move(source, target)).toEqual({ kind: 'not_empty', events: 1 });
    expect(await idsOf(target, shop)).toEqual([]);
    const file = new ProgressFile(mkdtempSync(join(folder, 'progress-')));
    await file.write({ between: 'a -> b', name: 'begun', progress: null });
    const day = new Date(nowMs - 1000).toISOString().slice(0, 10);
    expect(await move(source, target, { file })).toMatchObject({
      kind: 'different',
      differences: [{ project: 'bank', day, source: { events: 1, requests: 7 }, target: { events: 2, requests: 8 } }],
    });
  });

  it('is not complete if a controller was started meanwhile', async () => {
    const [source, target] = [await openFile('disturbed'), await openFile('disturbed-target')];
    await fill(source);
    expect(await move(source, target, { isQuiet: async () => false })).toEqual({ kind: 'disturbed' });
    expect((await source.health()).events).toBe(3002);
  });
});
