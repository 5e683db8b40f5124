import { execFileSync } from 'node:child_process';
import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clearInitializing, createBaseIds } from './base-id.ts';

const uid = process.getuid?.();
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
  expect(await clearInitializing(7, uid, dir)).toBe(true);
  expect(readFileSync(join(dir, 'envoy_shared_memory_70')).readBigUInt64LE(96)).toBe(0n);
  writeFileSync(join(dir, 'envoy_shared_memory_80'), Buffer.alloc(200, 1));
  expect(await clearInitializing(8, uid, dir)).toBe(false);
  expect(readFileSync(join(dir, 'envoy_shared_memory_80'))).toEqual(Buffer.alloc(200, 1));
  expect(await clearInitializing(9, uid, dir)).toBe(false);
});

test('a link in place of the shared memory changes no other file (attack 3)', async () => {
  const segment = Buffer.alloc(104, 1);
  segment.writeBigUInt64LE(104n);
  const canary = join(dir, 'canary');
  writeFileSync(canary, segment);
  symlinkSync(canary, join(dir, 'envoy_shared_memory_70'));
  expect(await clearInitializing(7, uid, dir)).toBe(false);
  linkSync(canary, join(dir, 'envoy_shared_memory_80'));
  expect(await clearInitializing(8, uid, dir)).toBe(false);
  expect(await clearInitializing(8, (uid ?? 0) + 1, dir)).toBe(false);
  expect(readFileSync(canary)).toEqual(segment);
});

test('a pipe or a link in place of a claim does not hold up a sweep (attack 3)', async () => {
  const ids = createBaseIds('one', dir);
  const lost = await ids.claim();
  execFileSync('mkfifo', [join(dir, 'flotilla_base_id_5')]);
  symlinkSync('/dev/zero', join(dir, 'flotilla_base_id_6'));
  await ids.sweep(new Set());
  expect(readdirSync(dir).sort()).toEqual(['flotilla_base_id_5', 'flotilla_base_id_6']);
  expect([5, 6]).not.toContain(lost);
});
