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
  /** How long a restarted Envoy may take to load the last good set before it gets the target. */
  readonly restoreMs: number;
  /** How many Envoys in a row may end while they load the same content before it counts as refused. */
  readonly endsMax: number;
}

/** A session's report to the node's memory after each decision. */
export interface SessionInsight {
  readonly verdicts: ReadonlyMap<ResourceKey, Verdict>;
  readonly inUse: ReadonlySet<ResourceKey>;
}

export interface RolloutReporter {
  readonly copies: EnvoyCopies;
}

/** State that outlives the streams of one node's Envoys; its sessions read and update it. */
export interface RolloutMemory {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly limits: RolloutLimits;
  readonly probe: WarmthProbe | undefined;
  /** Undefined until a target is set in this process. */
  readonly targetVersion: string | undefined;
  /** The target, or the last good set before a target is set. */
  readonly goal: Entries;
  readonly good: Entries;
  /** The versions that the Envoy of the last session had, or had been sent, when its stream ended. */
  readonly recent: readonly Entry[];
  readonly refusals: ReadonlyMap<ResourceKey, Refusal>;
  readonly retired: EnvoyCopies['retired'];
  findEntry(key: ResourceKey, version: string): Entry | undefined;
  /** Content over which several Envoys ended, including the one whose successor is asking. */
  takeSuspects(): ReadonlyMap<ResourceKey, Refusal>;
  learn(session: RolloutReporter, insight: SessionInsight): void;
  noteStatus(): void;
}
