import { createHash } from 'node:crypto';

/** Names one resource: unique within a snapshot. */
export interface ResourceRef {
  readonly typeUrl: string;
  readonly name: string;
}

/**
 * One xDS resource as it travels. `bytes` is the serialized message (the `value` of an `Any`), never changed after
 * creation. `version` is the digest of those bytes (`deriveContentVersion`): equal version means equal bytes, on every
 * node and in every controller.
 */
export interface Resource extends ResourceRef {
  readonly version: string;
  readonly bytes: Uint8Array;
}

export type ResourceKey = string;

/**
 * One consistent set. `dependencies` maps the key of a resource to what its own bytes refer to; references that are not
 * in the set (static clusters of a bootstrap) are allowed and ignored. Immutable.
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

/** 128 bits of SHA-256 as hex: short on the wire, and no two contents of one fleet meet. */
export function deriveContentVersion(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}

export function createResource(ref: ResourceRef, bytes: Uint8Array): Resource {
  return { typeUrl: ref.typeUrl, name: ref.name, version: deriveContentVersion(bytes), bytes };
}

/** Digest over type, name and version of every resource and its dependencies; the order of the input does not matter. */
export function deriveSnapshotVersion(parts: Iterable<SnapshotPart>): string {
  const lines: string[] = [];
  for (const { resource, dependsOn = [] } of parts) {
    const needs = dependsOn.map(toResourceKey).sort();
    lines.push(JSON.stringify([resource.typeUrl, resource.name, resource.version, needs]));
  }
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex').slice(0, 32);
}

/** Builds a snapshot; a later part with the same type and name replaces an earlier one. */
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
