import type { Translation } from '@flotilla/translate';
import { createResource, createSnapshot, type Resource, type Snapshot } from '@flotilla/xds';
import { planSnapshot } from '@flotilla/xds-grpc';

/** Digests are computed once per built document: nodes that share the bytes share the resource. */
const made = new WeakMap<Uint8Array, Resource>();

export function toSnapshot(nodeId: string, translation: Translation): Snapshot {
  const parts = translation.resources.map(({ typeUrl, name, bytes, dependsOn }) => {
    const resource = made.get(bytes) ?? createResource({ typeUrl, name }, bytes);
    made.set(bytes, resource);
    return { resource, dependsOn };
  });
  return planSnapshot(nodeId, createSnapshot(parts));
}
