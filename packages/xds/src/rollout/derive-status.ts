import { parseResourceKey, type ResourceKey, type ResourceRef } from '../resource.ts';
import { isWarmedType } from '../resource-type.ts';
import type { Entries } from './entry.ts';
import type { EnvoyCopies, EnvoyCopy } from './envoy-copies.ts';
import type { ResourceState, ResourceStatus, RolloutState, RolloutStatus } from './status.ts';
import type { Verdict } from './verdict.ts';

export interface StatusInput {
  readonly version: string;
  readonly target: Entries;
  readonly verdicts: ReadonlyMap<ResourceKey, Verdict>;
  readonly copies: EnvoyCopies;
  readonly retiring: readonly ResourceRef[];
}

function toState(verdict: Verdict | undefined): ResourceState {
  switch (verdict?.kind) {
    case undefined:
    case 'waiting':
    case 'ready':
    case 'open':
      return { kind: 'waiting' };
    case 'sent':
      return { kind: 'sent' };
    case 'warming':
    case 'cold':
      return { kind: 'acknowledged' };
    case 'settled':
      return { kind: verdict.seen ? 'warmed' : 'acknowledged' };
    case 'refused':
      return { kind: 'refused', reason: verdict.reason };
    case 'held':
      return { kind: 'held', by: parseResourceKey(verdict.by), reason: verdict.reason };
  }
}

function deriveState(verdicts: Iterable<Verdict>): RolloutState {
  let partial = false;
  for (const { kind } of verdicts) {
    if (kind === 'waiting' || kind === 'ready' || kind === 'sent' || kind === 'warming') return 'in_progress';
    partial ||= kind === 'refused' || kind === 'held' || kind === 'cold';
  }
  return partial ? 'partial' : 'live';
}

/** While a version warms, Envoy still runs the previous one. */
function deriveLiveVersion(copy: EnvoyCopy | undefined): string | undefined {
  const running =
    copy && !copy.warm && copy.live && isWarmedType(copy.live.resource.typeUrl) ? copy.previous : copy?.live;
  return running?.resource.version ?? copy?.unknownVersion;
}

export function deriveStatus({ version, target, verdicts, copies, retiring }: StatusInput): RolloutStatus {
  const resources = [...target.values()].map(({ key, resource }): ResourceStatus => {
    const copy = copies.get(key);
    return {
      typeUrl: resource.typeUrl,
      name: resource.name,
      version: resource.version,
      state: toState(verdicts.get(key)),
      liveVersion: deriveLiveVersion(copy),
    };
  });
  return { snapshotVersion: version, state: deriveState(verdicts.values()), resources, retiring };
}
