import type { Translation } from '@flotilla/translate';
import {
  createResource,
  createSnapshot,
  type Resource,
  type ResourceRef,
  type Snapshot,
  toResourceKey,
} from '@flotilla/xds';
import { planSnapshot } from '@flotilla/xds-grpc';

/** Caches digests per built document: nodes that share the bytes share the resource. */
const made = new WeakMap<Uint8Array, Resource>();

/**
 * Withheld resources keep the version of `before`, with their dependencies; if `before` does not contain one, it is
 * left out. Do not send the result to a node whose current resources are unknown.
 */
export function toSnapshot(nodeId: string, translation: Translation, before: Snapshot | undefined): Snapshot {
  const parts = translation.resources.map(({ typeUrl, name, bytes, dependsOn }) => {
    const resource = made.get(bytes) ?? createResource({ typeUrl, name }, bytes);
    made.set(bytes, resource);
    return { resource, dependsOn };
  });
  const kept = before
    ? keep(before, translation.withheld, new Set(parts.map(({ resource }) => toResourceKey(resource))))
    : [];
  return planSnapshot(nodeId, createSnapshot([...parts, ...kept]));
}

interface Part {
  readonly resource: Resource;
  readonly dependsOn: readonly ResourceRef[];
}

function keep(before: Snapshot, withheld: readonly ResourceRef[], there: Set<string>): Part[] {
  const kept: Part[] = [];
  const waiting = [...withheld];
  for (let ref = waiting.pop(); ref; ref = waiting.pop()) {
    const key = toResourceKey(ref);
    const resource = before.resources.get(key);
    if (!resource || there.has(key)) continue;
    there.add(key);
    const dependsOn = before.dependencies.get(key) ?? [];
    kept.push({ resource, dependsOn });
    waiting.push(...dependsOn);
  }
  return kept;
}
