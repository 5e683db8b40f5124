import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFullTier } from '@flotilla/kit/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EventStore, toProjectId } from '../port.ts';
import { createBatch, createEvent, createRandom, createTraffic, NOON_MS } from '../testing/events.ts';
import { openDuckDbStore } from './store.ts';

const project = toProjectId('shop');
const range = { from: NOON_MS - 3_600_000, to: NOON_MS + 3_600_000 };
const HOUR_MS = 3_600_000;
/** The disk and what is written to it shrink alike: in both, the store has to delete most of its events. */
const DISK = isFullTier
  ? { megabytes: 24, batches: 24, batch: 20_000, segmentRows: 40_000, tailRows: 10_000, walMb: 2 }
  : { megabytes: 16, batches: 18, batch: 5_000, segmentRows: 10_000, tailRows: 2_500, walMb: 1 };
const BATCH = DISK.batch;
const BATCHES = DISK.batches;

describe('the file of the DuckDB event store', () => {
  let folder: string;
  let path: string;
  /** A file of a store that was closed. Each test has a copy. */
  let filled: string;
  beforeAll(async () => {
    filled = mkdtempSync(join(tmpdir(), 'event-store-'));
    const store = await openDuckDbStore({ path: join(filled, 'events.duckdb'), now: () => NOON_MS });
    await store.append(project, createBatch(1, createTraffic(5_000, { seed: 1, startMs: NOON_MS, spanMs: 1_000 })));
    await store.compact();
    await store.close();
  });
  afterAll(() => rmSync(filled, { recursive: true }));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'event-store-'));
    path = join(folder, 'events.duckdb');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const open = () => openDuckDbStore({ path, now: () => NOON_MS });
  const fill = () => copyFileSync(join(filled, 'events.duckdb'), path);

  it.each([
    ['text', () => writeFileSync(path, 'this is not a database\n'.repeat(1_000))],
    ['a header of zeros', () => overwrite(path, 0, Buffer.alloc(12_288))],
    ['blocks of noise', () => overwrite(path, 12_288, Buffer.alloc(statSync(path).size - 12_288, 0xa5))],
    ['the first half of itself', () => writeFileSync(path, readFileSync(path).subarray(0, statSync(path).size / 2))],
  ])('is set aside and replaced if it is damaged: %s', async (_, damage) => {
    fill();
    damage();
    const store = await open();
    const { setAside, events } = await store.health();
    expect(events).toBe(0);
    expect(setAside).toBe(`${path}.damaged-${NOON_MS}`);
    expect(await store.completeFrom()).toBe(NOON_MS);
    expect(readdirSync(folder)).toContain(`events.duckdb.damaged-${NOON_MS}`);
    expect(await store.append(project, createBatch(1, [createEvent()]))).toBe('stored');
    await store.close();
  });

  it('is left alone if another process uses it', async () => {
    const process_ = join(import.meta.dirname, '..', 'testing', 'appending-process.ts');
    const child = spawn(process.execPath, [process_, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await expect(open()).rejects.toMatchObject({ code: 'event_store.locked' });
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    const store = await open();
    expect((await store.health()).setAside).toBeNull();
    await store.close();
  });

  it('is left alone if a newer version wrote it', async () => {
    fill();
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    await connection.run('update format set version = 999');
    connection.closeSync();
    instance.closeSync();
    await expect(open()).rejects.toMatchObject({ code: 'event_store.newer_format' });
    expect(readdirSync(folder).filter((name) => name.includes('damaged'))).toEqual([]);
  });

  it('fails every call after it was closed', async () => {
    const store = await open();
    await store.close();
    await expect(store.append(project, createBatch(1, [createEvent()]))).rejects.toMatchObject({
      code: 'event_store.closed',
    });
  });
});

function overwrite(path: string, at: number, bytes: Buffer): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}

describe('the DuckDB event store on a small disk', () => {
  const disk = mkdtempSync(join(tmpdir(), 'event-disk-'));
  let store: EventStore;
  let sequence = 0;
  beforeAll(async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK.megabytes}m`, 'none', disk]);
    const { walMb, segmentRows, tailRows } = DISK;
    store = await openDuckDbStore({
      path: join(disk, 'events.duckdb'),
      now: () => NOON_MS,
      walMb,
      segmentRows,
      tailRows,
    });
  });
  afterAll(async () => {
    await store.close();
    execFileSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true });
  });

  const base = createTraffic(BATCH, { seed: 1, startMs: 0, spanMs: 10_000 });
  const random = createRandom(3);
  const createDigits = () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  const createHash = () => createDigits() + createDigits();

  /** Every row has hashes of its own, which do not compress. */
  const append = async () => {
    sequence += 1;
    const startMs = NOON_MS - HOUR_MS + sequence * 10_000;
    const events = base.map((event) => ({
      ...event,
      timeMs: startMs + event.timeMs,
      source: createHash(),
      userAgent: createHash(),
      object: createHash(),
    }));
    return store.append(project, createBatch(sequence, events));
  };

  it('keeps the newest events when its own data fills the disk', async () => {
    for (let round = 0; round < BATCHES; round += 1) expect(await append()).toBe('stored');
    const { events, oldestMs, newestMs } = await store.health();
    expect(events).toBeLessThan(BATCHES * BATCH);
    expect(events).toBeGreaterThan(2 * BATCH);
    expect(oldestMs).toBeGreaterThan(NOON_MS - HOUR_MS + 20_000);
    expect(newestMs).toBeGreaterThan(NOON_MS - HOUR_MS + sequence * 10_000);
  });

  it('refuses batches while others fill the disk, answers queries, and goes on afterwards', async () => {
    const ballast = join(disk, 'ballast');
    const file = openSync(ballast, 'w');
    try {
      for (;;) writeSync(file, Buffer.alloc(65_536));
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    }
    closeSync(file);
    await expect(append()).rejects.toMatchObject({ code: 'event_store.disk_full', httpStatus: 503 });
    const { events } = await store.health();
    expect(events).toBeGreaterThan(2 * BATCH);
    rmSync(ballast);
    sequence -= 1;
    expect(await append()).toBe('stored');
    expect((await store.totals(project, { ...range, resolution: 'raw' })).data.events).toBeGreaterThan(2 * BATCH);
  });
});
