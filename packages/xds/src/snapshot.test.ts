import { expect, it } from 'vitest';
import { createResource, createSnapshot, type Snapshot } from './resource.ts';
import { RESOURCE_TYPE } from './resource-type.ts';
import { SnapshotCache } from './snapshot-cache.ts';
import { decodeSnapshot, encodeSnapshot } from './snapshot-file.ts';

const { cluster, endpoint } = RESOURCE_TYPE;

function snapshotOf(contents: Record<string, string>): Snapshot {
  return createSnapshot(
    Object.entries(contents).map(([name, content]) => ({
      resource: createResource({ typeUrl: cluster, name }, Buffer.from(content)),
      dependsOn: [{ typeUrl: endpoint, name }],
    })),
  );
}

it('equal sets have equal versions in any order', () => {
  expect(snapshotOf({ a: '1', b: '2' }).version).toBe(snapshotOf({ b: '2', a: '1' }).version);
  expect(snapshotOf({ a: '1', b: '2' }).version).not.toBe(snapshotOf({ a: '1', b: '3' }).version);
});

it('setting equal content is not a change', () => {
  const cache = new SnapshotCache();
  let changes = 0;
  cache.watch('n', () => {
    changes += 1;
  });
  expect([cache.set('n', snapshotOf({ a: '1' })), cache.set('n', snapshotOf({ a: '1' }))]).toEqual([true, false]);
  expect(changes).toBe(1);
});

it('equal resources of many nodes are stored once', () => {
  const cache = new SnapshotCache();
  for (let node = 0; node < 100; node += 1) cache.set(`n${node}`, snapshotOf({ shared: 'same' }));
  const objects = new Set(cache.nodeIds().flatMap((nodeId) => [...(cache.get(nodeId)?.resources.values() ?? [])]));
  expect(objects.size).toBe(1);
});

it('the client of a deleted node keeps what it has', () => {
  const cache = new SnapshotCache();
  cache.set('n', snapshotOf({ a: '1' }));
  const source = cache.source('n');
  cache.delete('n');
  expect(source.ready()).toBe(false);
  expect(source.offer(cluster, 'a')).toEqual({ kind: 'keep', resource: undefined });
  expect(cache.nodeIds()).toEqual([]);
});

it('a snapshot is read back from a file as it was written, including dependencies', () => {
  const snapshot = snapshotOf({ a: '1', 'ü\u{1f600}': '', b: 'x'.repeat(100_000) });
  const read = decodeSnapshot(encodeSnapshot(snapshot));
  expect(read).toMatchObject({ ok: true });
  if (!read.ok) return;
  expect(read.value.version).toBe(snapshot.version);
  expect(read.value.dependencies).toEqual(snapshot.dependencies);
  for (const [key, { version, bytes }] of snapshot.resources) {
    expect(read.value.resources.get(key)?.version).toBe(version);
    expect(Buffer.from(read.value.resources.get(key)?.bytes ?? []).equals(bytes)).toBe(true);
  }
});

it('decodeSnapshot rejects a truncated, damaged, foreign or newer file', () => {
  const file = Buffer.from(encodeSnapshot(snapshotOf({ a: '1', b: '2' })));
  for (let length = 0; length < file.length; length += 1)
    expect(decodeSnapshot(file.subarray(0, length)).ok).toBe(false);
  for (let at = 0; at < file.length; at += 7) {
    const damaged = Buffer.from(file);
    damaged[at] = (damaged[at] ?? 0) ^ 0x40;
    expect(decodeSnapshot(damaged).ok).toBe(false);
  }
  const newer = Buffer.from(file);
  newer[4] = 2;
  expect(decodeSnapshot(newer)).toEqual({ ok: false, error: 'snapshot file of format 2' });
});
