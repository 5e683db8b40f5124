import type { ResourceKey } from '../resource.ts';
import { parseResourceKey } from '../resource.ts';
import { deriveTypeRank, RESOURCE_TYPE } from '../resource-type.ts';
import type { Entries, Entry } from './entry.ts';
import type { EnvoyCopies, EnvoyCopy } from './envoy-copies.ts';

/** Types with a higher number refer to types with lower ones. Extensions are below listeners and above clusters. */
const LEVEL: Readonly<Record<string, number>> = {
  [RESOURCE_TYPE.endpoint]: 0,
  [RESOURCE_TYPE.secret]: 0,
  [RESOURCE_TYPE.cluster]: 1,
  [RESOURCE_TYPE.extension]: 2,
  [RESOURCE_TYPE.virtualHost]: 2,
  [RESOURCE_TYPE.route]: 3,
  [RESOURCE_TYPE.listener]: 4,
};

function deriveLevel(key: ResourceKey): number {
  const { typeUrl } = parseResourceKey(key);
  return LEVEL[typeUrl] ?? deriveTypeRank(typeUrl);
}

/**
 * All resources that content in use, or possibly in use later, refers to: live and warming versions, those in flight,
 * those in partly applied responses, retired ones, and those offered from the last good set while their successor waits
 * (`findFallback`). None of them may be removed.
 */
export function deriveInUse(
  copies: EnvoyCopies,
  target: Entries,
  findFallback: (key: ResourceKey) => Entry | undefined,
): ReadonlySet<ResourceKey> {
  const used = new Set<ResourceKey>();
  const unseen: ResourceKey[] = [...target.keys()];
  const use = (entry: Entry | undefined) => {
    for (const key of entry?.dependsOn ?? []) {
      if (!used.has(key)) unseen.push(key);
      used.add(key);
    }
  };
  for (const [, copy] of copies.entries()) {
    use(copy.live);
    use(copy.previous);
    copy.inFlight.forEach(use);
    copy.maybe.forEach(use);
  }
  for (const { entry } of copies.retired) use(entry);
  for (let key = unseen.pop(); key !== undefined; key = unseen.pop()) use(findFallback(key));
  return used;
}

/**
 * Whether Envoy may be asked to remove `key`, which is not in the target. Not while content in use refers to it, and not
 * while Envoy has content unknown to us that might.
 */
export function isRemovable(key: ResourceKey, inUse: ReadonlySet<ResourceKey>, copies: EnvoyCopies): boolean {
  if (inUse.has(key)) return false;
  const level = deriveLevel(key);
  for (const [other, copy] of copies.entries()) {
    if (copy.unknownVersion !== undefined && deriveLevel(other) > level) return false;
  }
  return true;
}

/** Resources that Envoy has and that are no longer in the target. */
export function listUnwanted(copies: EnvoyCopies, target: Entries): ResourceKey[] {
  const has = (copy: EnvoyCopy) => copy.live ?? copy.unknownVersion ?? copy.inFlight[0] ?? copy.maybe[0];
  return [...copies.entries()].filter(([key, copy]) => !target.has(key) && has(copy)).map(([key]) => key);
}
