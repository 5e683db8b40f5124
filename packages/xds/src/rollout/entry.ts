import {
  createSnapshot,
  parseResourceKey,
  type Resource,
  type ResourceKey,
  type Snapshot,
  toResourceKey,
} from '../resource.ts';

/** One version of a resource, with the resources that it refers to. */
export interface Entry {
  readonly key: ResourceKey;
  readonly resource: Resource;
  readonly dependsOn: readonly ResourceKey[];
}

export type Entries = ReadonlyMap<ResourceKey, Entry>;

export const NO_ENTRIES: Entries = new Map();

export function toEntries(snapshot: Snapshot): Entries {
  const entries = new Map<ResourceKey, Entry>();
  for (const [key, resource] of snapshot.resources) {
    const dependsOn = (snapshot.dependencies.get(key) ?? []).map(toResourceKey).filter((other) => other !== key);
    entries.set(key, { key, resource, dependsOn });
  }
  return entries;
}

export function toSnapshot(entries: Entries): Snapshot {
  return createSnapshot(
    [...entries.values()].map(({ resource, dependsOn }) => ({ resource, dependsOn: dependsOn.map(parseResourceKey) })),
  );
}

export function isVersion(entry: Entry | undefined, version: string): entry is Entry {
  return entry?.resource.version === version;
}
