import type { ResourceKey } from '../resource.ts';
import { parseResourceKey } from '../resource.ts';
import { deriveTypeRank, RESOURCE_TYPE } from '../resource-type.ts';
import type { Entries, Entry } from './entry.ts';
import type { EnvoyCopies, EnvoyCopy } from './envoy-copies.ts';

/** Who may refer to whom: a higher number refers to lower ones. Extensions lie below listeners and above clusters. */
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
 * Everything that some content, which Envoy may be using now or may come to use, refers to: live and still warming
 * versions, those in flight, those of half-taken responses, retired ones, and what is offered from the last good set
 * while its successor waits (`findFallback`). Nothing of it may be removed.
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
 * May Envoy be told that `key`, which is not in the target, is gone? Not while something in use refers to it, and not
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

/** At Envoy and no longer in the target. */
export function listUnwanted(copies: EnvoyCopies, target: Entries): ResourceKey[] {
  const has = (copy: EnvoyCopy) => copy.live ?? copy.unknownVersion ?? copy.inFlight[0] ?? copy.maybe[0];
  return [...copies.entries()].filter(([key, copy]) => !target.has(key) && has(copy)).map(([key]) => key);
}
