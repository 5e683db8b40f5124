import type { Clock } from '@flotilla/kit';
import type { ResourceKey } from '../resource.ts';
import type { Timers } from '../timers.ts';
import type { WarmthProbe } from '../warmth.ts';
import type { Entries, Entry } from './entry.ts';
import type { EnvoyCopies, RetireTimes } from './envoy-copies.ts';
import type { Refusal, Verdict } from './verdict.ts';

export interface RolloutLimits extends RetireTimes {
  /** How long dependents wait for an acknowledged resource to become warm. */
  readonly warmMs: number;
  /** How long a restarted Envoy may take to come back with the last good set before the newest is tried. */
  readonly restoreMs: number;
  /** So many Envoys in a row may end while they take the same content, before it counts as refused. */
  readonly endsMax: number;
}

/** What a session hands to the node's memory after each decision. */
export interface SessionInsight {
  readonly verdicts: ReadonlyMap<ResourceKey, Verdict>;
  readonly inUse: ReadonlySet<ResourceKey>;
}

export interface RolloutReporter {
  readonly copies: EnvoyCopies;
}

/** What outlives the streams of one node's Envoys; its sessions read and feed it. */
export interface RolloutMemory {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly limits: RolloutLimits;
  readonly probe: WarmthProbe | undefined;
  /** Undefined as long as no target was set in this life. */
  readonly targetVersion: string | undefined;
  /** The target, or the last good set while there is none. */
  readonly goal: Entries;
  readonly good: Entries;
  /** What the Envoy of the last session had, or was about to have, when its stream ended. */
  readonly recent: readonly Entry[];
  readonly refusals: ReadonlyMap<ResourceKey, Refusal>;
  readonly retired: EnvoyCopies['retired'];
  findEntry(key: ResourceKey, version: string): Entry | undefined;
  /** What Envoys ended over more than once, counting the one whose successor asks now. */
  takeSuspects(): ReadonlyMap<ResourceKey, Refusal>;
  learn(session: RolloutReporter, insight: SessionInsight): void;
  noteStatus(): void;
}
