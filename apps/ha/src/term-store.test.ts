import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Place } from '@flotilla/ha';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TermStore } from './term-store.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ha-term-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const PLACE: Place = { pairId: 'pair', slot: 0 };

async function readTerm(file: string, place = PLACE) {
  const store = await TermStore.open(file, place);
  await store.close();
  return store.term;
}

describe('the store of the term', () => {
  it('keeps what was written, and starts from zero for another pair', async () => {
    const file = join(dir, 'kept');
    const store = await TermStore.open(file, PLACE);
    expect(store.term).toMatchObject({ boot: 0, epoch: 0, isInMaintenance: false });
    await store.write({ boot: 1 });
    await store.write({ epoch: 7, accepted: { boot: 3, sequence: 9 } });
    await store.close();
    expect(await readTerm(file)).toMatchObject({ boot: 1, epoch: 7, accepted: { boot: 3, sequence: 9 } });
    expect(await readTerm(file, { ...PLACE, slot: 1 })).toMatchObject({ epoch: 7, accepted: { boot: 0, sequence: 0 } });
    expect(await readTerm(file, { ...PLACE, pairId: 'other' })).toMatchObject({ boot: 0, epoch: 0 });
  });

  it('keeps every change of several that are written at once', async () => {
    const file = join(dir, 'at-once');
    const store = await TermStore.open(file, PLACE);
    await Promise.all([store.write({ epoch: 5 }), store.write({ isInMaintenance: true }), store.write({ boot: 2 })]);
    await store.close();
    expect(await readTerm(file)).toMatchObject({ epoch: 5, isInMaintenance: true, boot: 2 });
  });

  it('has the previous record if the newest was cut off at any byte', async () => {
    const file = join(dir, 'torn');
    const store = await TermStore.open(file, PLACE);
    await store.write({ epoch: 1 });
    const before = await readFile(file);
    await store.write({ epoch: 2 });
    await store.close();
    const after = await readFile(file);
    const seen = new Set<number>();
    for (let cut = 0; cut <= after.length; cut += 1) {
      const handle = await open(file, 'w');
      await handle.write(Buffer.concat([after.subarray(0, cut), before.subarray(cut)]));
      await handle.close();
      seen.add((await readTerm(file)).epoch);
    }
    expect([...seen].sort()).toEqual([1, 2]);
  });

  it('never grows, so that a full disk does not matter', async () => {
    const file = join(dir, 'size');
    const store = await TermStore.open(file, PLACE);
    for (let epoch = 1; epoch <= 10; epoch += 1) await store.write({ epoch });
    await store.close();
    expect((await readFile(file)).length).toBeLessThanOrEqual(2048);
  });
});
