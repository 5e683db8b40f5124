import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clearInitializing, createBaseIds } from './base-id.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'fb-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('two agents on one host never get the same base id', async () => {
  const [one, two] = [createBaseIds('one', dir), createBaseIds('two', dir)];
  const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 ? one : two).claim()));
  expect(new Set(ids).size).toBe(40);
});

test('a released base id leaves neither claim nor shared memory', async () => {
  const ids = createBaseIds('one', dir);
  const id = await ids.claim();
  writeFileSync(join(dir, `envoy_shared_memory_${id * 10}`), '');
  writeFileSync(join(dir, `envoy_shared_memory_${id * 10 + 1}`), 'of another');
  await ids.release(id);
  expect(readdirSync(dir)).toEqual([`envoy_shared_memory_${id * 10 + 1}`]);
});

test('a sweep takes only claims of the same agent that are not in use', async () => {
  const [one, two] = [createBaseIds('one', dir), createBaseIds('two', dir)];
  const [used, lost, foreign] = [await one.claim(), await one.claim(), await two.claim()];
  await one.sweep(new Set([used]));
  expect(readdirSync(dir).sort()).toEqual([`flotilla_base_id_${foreign}`, `flotilla_base_id_${used}`].sort());
  expect(lost).not.toBe(used);
});

test('only a segment of the known shape is touched', async () => {
  const segment = Buffer.alloc(104, 1);
  segment.writeBigUInt64LE(104n);
  writeFileSync(join(dir, 'envoy_shared_memory_70'), segment);
  expect(await clearInitializing(7, dir)).toBe(true);
  expect(readFileSync(join(dir, 'envoy_shared_memory_70')).readBigUInt64LE(96)).toBe(0n);
  writeFileSync(join(dir, 'envoy_shared_memory_80'), Buffer.alloc(200, 1));
  expect(await clearInitializing(8, dir)).toBe(false);
  expect(readFileSync(join(dir, 'envoy_shared_memory_80'))).toEqual(Buffer.alloc(200, 1));
  expect(await clearInitializing(9, dir)).toBe(false);
});
