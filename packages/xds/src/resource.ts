import { createHash } from 'node:crypto';

/** Identifies one resource within a snapshot. */
export interface ResourceRef {
  readonly typeUrl: string;
  readonly name: string;
}

/**
 * One xDS resource in its wire form. `bytes` is the serialized message (the `value` of an `Any`) and never changes.
 * `version` is the digest of those bytes (`deriveContentVersion`): equal versions mean equal bytes, on every node and
 * in every controller.
 */
export interface Resource extends ResourceRef {
  readonly version: string;
  readonly bytes: Uint8Array;
}

export type ResourceKey = string;

/**
 * One consistent set of resources. `dependencies` maps the key of a resource to the keys that its bytes refer to;
 * references outside the set (static clusters of a bootstrap) are allowed and ignored. Immutable.
 */
export interface Snapshot {
  readonly version: string;
  readonly resources: ReadonlyMap<ResourceKey, Resource>;
  readonly dependencies: ReadonlyMap<ResourceKey, readonly ResourceRef[]>;
}

export interface SnapshotPart {
  readonly resource: Resource;
  readonly dependsOn?: readonly ResourceRef[];
}

export function toResourceKey(ref: ResourceRef): ResourceKey {
  return `${ref.typeUrl}\n${ref.name}`;
}

export function parseResourceKey(key: ResourceKey): ResourceRef {
  const end = key.indexOf('\n');
  return { typeUrl: key.slice(0, end), name: key.slice(end + 1) };
}

/** 128 bits of SHA-256 in hex: short on the wire, and without collisions in practice. */
export function deriveContentVersion(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}

export function createResource(ref: ResourceRef, bytes: Uint8Array): Resource {
  return { typeUrl: ref.typeUrl, name: ref.name, version: deriveContentVersion(bytes), bytes };
}

/** Digest over type, name, version and dependencies of every resource, independent of their order. */
export function deriveSnapshotVersion(parts: Iterable<SnapshotPart>): string {
  const lines: string[] = [];
  for (const { resource, dependsOn = [] } of parts) {
    const needs = dependsOn.map(toResourceKey).sort();
    lines.push(JSON.stringify([resource.typeUrl, resource.name, resource.version, needs]));
  }
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex').slice(0, 32);
}

/** A later part with the same type and name replaces an earlier one. */
export function createSnapshot(parts: Iterable<SnapshotPart>): Snapshot {
  const byKey = new Map<ResourceKey, SnapshotPart>();
  for (const part of parts) byKey.set(toResourceKey(part.resource), part);
  const resources = new Map<ResourceKey, Resource>();
  const dependencies = new Map<ResourceKey, readonly ResourceRef[]>();
  for (const [key, { resource, dependsOn = [] }] of byKey) {
    resources.set(key, resource);
    if (dependsOn.length > 0) dependencies.set(key, dependsOn);
  }
  return { version: deriveSnapshotVersion(byKey.values()), resources, dependencies };
}
