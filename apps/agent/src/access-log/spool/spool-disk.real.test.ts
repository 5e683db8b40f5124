import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger } from '@flotilla/kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Spool } from './spool.ts';
import { SpoolBudget } from './spool-budget.ts';

const DISK_BYTES = 256 * 1024;
const SEGMENT_BYTES = 16 * 1024;
const PAYLOAD_BYTES = 3000;

let disk: string;
let spool: Spool;

/** A disk that is smaller than the limit of the spools. */
beforeEach(async () => {
  disk = await mkdtemp(join(tmpdir(), 'spool-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'none', disk]);
  spool = await open();
});
afterEach(async () => {
  await spool.close();
  execFileSync('umount', ['-l', disk]);
  await rm(disk, { recursive: true, force: true });
});

const open = () =>
  Spool.open({
    dir: join(disk, 'spool'),
    budget: new SpoolBudget(1e9),
    bootId: 'b'.repeat(36),
    logger: createSilentLogger(),
    segmentBytes: SEGMENT_BYTES,
  });

const remount = (options: string) => execFileSync('mount', ['-o', `remount,${options}`, disk]);

/** A disk on which a file is open for writing does not become read-only. */
async function makeReadOnly(): Promise<void> {
  await spool.close();
  remount('ro');
  spool = await open();
}

async function append(from: number, to: number): Promise<void> {
  for (let i = from; i <= to; i += 1) await spool.append(1, Buffer.from(`batch ${i}`.padEnd(PAYLOAD_BYTES, '.')));
}

/** The numbers of the batches that are given, in their order. */
async function takeAll(from = spool): Promise<number[]> {
  const taken: number[] = [];
  for (let record = await from.take(); record; record = await from.take())
    taken.push(Number(/^batch (\d+)/.exec(record.payload.toString())?.[1]));
  return taken;
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('on a full disk, a spool', () => {
  it('keeps the newest batches, all on the disk and in their order, and counts the dropped ones', async () => {
    await append(1, 400);
    const { droppedBatches, droppedSegments } = spool.counts;
    expect(droppedSegments).toBeGreaterThan(50);
    // Another agent finds it if this one is killed now.
    const next = await open();
    const taken = await takeAll(next);
    await next.close();
    expect(taken).toEqual(range(droppedBatches + 1, 400));
    expect(taken.length * PAYLOAD_BYTES).toBeGreaterThan(DISK_BYTES / 2);
    expect(spool.backlog.batches).toBe(taken.length);
  });

  it('goes on when there is room again', async () => {
    await append(1, 120);
    remount(`size=${4 * DISK_BYTES}`);
    const { droppedBatches } = spool.counts;
    await append(121, 300);
    expect(spool.counts.droppedBatches).toBe(droppedBatches);
    expect(await takeAll()).toEqual(range(droppedBatches + 1, 300));
  });
});

describe('on a disk that refuses writes, a spool', () => {
  it('deletes nothing, gives what it has, and keeps new batches in memory until they can be written', async () => {
    await append(1, 30);
    await makeReadOnly();
    await append(31, 40);
    expect(spool.counts).toEqual({ droppedSegments: 0, droppedBatches: 0 });
    expect(spool.backlog.batches).toBe(40);
    remount('rw');
    await append(41, 45);
    expect(spool.backlog.batches).toBe(45);
    // Those in memory have an epoch of their own, and come last.
    expect(await takeAll()).toEqual([...range(1, 30), ...range(41, 45), ...range(31, 40)]);
  });

  it('drops the oldest batches in memory above their limit, and counts them', async () => {
    await append(1, 5);
    await makeReadOnly();
    await append(6, 2000);
    expect(spool.counts.droppedSegments).toBe(0);
    expect(spool.counts.droppedBatches).toBeGreaterThan(500);
    const taken = await takeAll();
    expect(taken.slice(0, 5)).toEqual(range(1, 5));
    expect(taken.slice(5)).toEqual(range(6 + spool.counts.droppedBatches, 2000));
    expect(taken.slice(5).length * PAYLOAD_BYTES).toBeLessThanOrEqual(4 * 1024 * 1024);
    remount('rw');
  });
});
