import { chmod, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger } from '@flotilla/kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SpoolRecord } from './segment.ts';
import { Spool } from './spool.ts';
import { SpoolBudget } from './spool-budget.ts';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'spool-'));
});
afterEach(async () => {
  await chmod(base, 0o700);
  await rm(base, { recursive: true, force: true });
});

const payload = (text: string, size = 100) => Buffer.from(text.padEnd(size, '.'));
const open = (options: { dir?: string; budget?: SpoolBudget; bootId?: string; segmentBytes?: number } = {}) =>
  Spool.open({
    dir: join(base, options.dir ?? 'a'),
    budget: options.budget ?? new SpoolBudget(1e9),
    bootId: options.bootId ?? 'b'.repeat(36),
    logger: createSilentLogger(),
    segmentBytes: options.segmentBytes ?? 4096,
  });
const textOf = (record: SpoolRecord | undefined) => record?.payload.toString().replace(/\.+$/, '');

async function takeAll(spool: Spool): Promise<SpoolRecord[]> {
  const taken: SpoolRecord[] = [];
  for (let record = await spool.take(); record; record = await spool.take()) taken.push(record);
  return taken;
}

const segments = async (dir = 'a') => (await readdir(join(base, dir))).sort();

describe('a spool', () => {
  it('gives its batches in their order, each once, and removes segments when all of it is stored', async () => {
    const spool = await open();
    for (let i = 1; i <= 200; i += 1) await spool.append(i, payload(`batch ${i}`));
    expect((await segments()).length).toBeGreaterThan(3);
    const taken = await takeAll(spool);
    expect(taken.map((record) => textOf(record))).toEqual(Array.from({ length: 200 }, (_, i) => `batch ${i + 1}`));
    expect(taken.map(({ sequence }) => Number(sequence))).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    for (const record of taken.toReversed()) spool.stored(record);
    await spool.close();
    expect(await segments()).toHaveLength(1);
  });

  it('continues its numbers after the death of the agent, and gives what is not stored again', async () => {
    const first = await open();
    await first.append(1, payload('one'));
    await first.append(1, payload('two'));
    // A killed agent closes nothing.
    const second = await open();
    await second.append(1, payload('three'));
    const taken = await takeAll(second);
    expect(taken.map((record) => [Number(record.sequence), textOf(record)])).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
    ]);
    expect(new Set(taken.map(({ epoch }) => epoch)).size).toBe(1);
    await first.close();
    await second.close();
  });

  it('begins an epoch after another boot, because the last bytes may be missing', async () => {
    const first = await open();
    await first.append(1, payload('one'));
    await first.close();
    const second = await open({ bootId: 'c'.repeat(36) });
    await second.append(1, payload('two'));
    const [one, two] = await takeAll(second);
    expect([one?.sequence, two?.sequence]).toEqual([1n, 1n]);
    expect(one?.epoch).not.toBe(two?.epoch);
    await second.close();
  });

  it('gives what is before a cut or damaged record, and uses the number of a cut one', async () => {
    const first = await open();
    for (const text of ['one', 'two', 'three']) await first.append(1, payload(text));
    await first.close();
    const [name = ''] = await segments();
    const path = join(base, 'a', name);
    await truncate(path, (await readFile(path)).length - 7);
    const second = await open();
    await second.append(1, payload('after'));
    const taken = await takeAll(second);
    expect(taken.map((record) => [Number(record.sequence), textOf(record)])).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'after'],
    ]);
    await second.close();
    await writeFile(path, 'garbage');
    const third = await open();
    expect((await takeAll(third)).map((record) => textOf(record))).toEqual(['after']);
    await third.close();
  });

  it('counts a dropped batch by its number', async () => {
    const spool = await open();
    await spool.append(1, payload('one'));
    spool.skip();
    await spool.append(1, payload('three'));
    expect((await takeAll(spool)).map(({ sequence }) => Number(sequence))).toEqual([1, 3]);
    expect(spool.counts.droppedBatches).toBe(1);
    await spool.close();
  });

  it('keeps batches in memory while the disk takes none, under numbers of their own', async () => {
    // A file where the folder should be: no user can write in it.
    await writeFile(join(base, 'a'), '');
    const spool = await open();
    await spool.append(1, payload('one'));
    await rm(join(base, 'a'));
    await mkdir(join(base, 'a'));
    await spool.append(1, payload('two'));
    const taken = await takeAll(spool);
    expect(taken.map((record) => textOf(record)).sort()).toEqual(['one', 'two']);
    expect(new Set(taken.map(({ epoch }) => epoch)).size).toBe(2);
    await spool.close();
  });
});

describe('the backlog of a spool', () => {
  const times = { now: 1000 };
  const openAt = (dir = 'a') =>
    Spool.open({
      dir: join(base, dir),
      budget: new SpoolBudget(1e9),
      bootId: 'b'.repeat(36),
      logger: createSilentLogger(),
      segmentBytes: 1000,
      now: () => times.now,
    });

  it('counts what is not stored, also what was taken, and knows since when it waits', async () => {
    const spool = await openAt();
    expect(spool.backlog).toEqual({ batches: 0, bytes: 0, oldestMs: 0 });
    for (times.now = 1000; times.now < 1030; times.now += 1) await spool.append(1, payload('x'));
    const whole = spool.backlog;
    expect(whole).toMatchObject({ batches: 30, oldestMs: 1000 });
    expect(whole.bytes).toBe(30 * (100 + 20));
    const taken = await takeAll(spool);
    expect(spool.backlog).toEqual(whole);
    for (const record of taken.slice(0, 12)) spool.stored(record);
    expect(spool.backlog).toEqual({ batches: 18, bytes: 18 * 120, oldestMs: 1012 });
    for (const record of taken.slice(12)) spool.stored(record);
    expect(spool.backlog).toEqual({ batches: 0, bytes: 0, oldestMs: 0 });
    await spool.close();
  });

  it('is known after the death of the agent, and becomes exact when it was read', async () => {
    const first = await openAt();
    for (let i = 0; i < 30; i += 1) await first.append(1, payload('x'));
    first.skip();
    await first.append(1, payload('last'));
    const second = await openAt();
    // A skipped number looks like a batch before the segment was read.
    expect(second.backlog.batches).toBeGreaterThanOrEqual(31);
    expect(second.backlog.batches).toBeLessThanOrEqual(32);
    expect(second.backlog.oldestMs).toBeGreaterThan(1_700_000_000_000);
    const taken = await takeAll(second);
    expect(second.backlog.batches).toBe(31);
    for (const record of taken) second.stored(record);
    expect(second.backlog).toEqual({ batches: 0, bytes: 0, oldestMs: 0 });
    await first.close();
    await second.close();
  });

  it('is without dropped batches, which are counted', async () => {
    const budget = new SpoolBudget(5000);
    const spool = await open({ budget, segmentBytes: 1000 });
    for (let i = 0; i < 100; i += 1) await spool.append(1, payload('x'));
    const { batches } = spool.backlog;
    expect(batches).toBeGreaterThan(10);
    expect(batches + spool.counts.droppedBatches).toBe(100);
    expect(await takeAll(spool)).toHaveLength(batches);
    await spool.close();
  });
});

describe('the spools of a host', () => {
  it('keep the newest batch, even if it is larger than the limit', async () => {
    const spool = await open({ budget: new SpoolBudget(1000) });
    await spool.append(1, payload('small'));
    await spool.append(1, payload('large', 5000));
    await spool.append(1, payload('newest', 5000));
    expect((await takeAll(spool)).map((record) => textOf(record))).toEqual(['newest']);
    await spool.close();
  });

  it('lose the oldest batches of the one with the most bytes above their limit', async () => {
    const budget = new SpoolBudget(30_000);
    const busy = await open({ dir: 'busy', budget });
    const quiet = await open({ dir: 'quiet', budget });
    await quiet.append(1, payload('quiet'));
    for (let i = 1; i <= 600; i += 1) await busy.append(1, payload(`busy ${i}`));
    expect(budget.bytes).toBeLessThanOrEqual(30_000);
    expect((await takeAll(quiet)).map((record) => textOf(record))).toEqual(['quiet']);
    const left = (await takeAll(busy)).map(({ sequence }) => Number(sequence));
    expect(left.at(-1)).toBe(600);
    expect(left[0]).toBeGreaterThan(300);
    expect(left).toEqual(left.map((_, i) => (left[0] ?? 0) + i));
    expect(busy.counts.droppedSegments).toBeGreaterThan(0);
    await busy.close();
    await quiet.close();
  });
});
