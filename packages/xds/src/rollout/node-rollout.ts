import { type Clock, systemClock } from '@flotilla/kit';
import { parseResourceKey, type ResourceKey, type Snapshot } from '../resource.ts';
import { RESOURCE_TYPE } from '../resource-type.ts';
import { systemTimers, type Timers } from '../timers.ts';
import type { WarmthProbe } from '../warmth.ts';
import { deriveStatus } from './derive-status.ts';
import { type Entries, type Entry, isVersion, NO_ENTRIES, toEntries, toSnapshot } from './entry.ts';
import { EnvoyCopies } from './envoy-copies.ts';
import type { RolloutLimits, RolloutMemory, RolloutReporter, SessionInsight } from './rollout-memory.ts';
import { RolloutSession } from './rollout-session.ts';
import type { RolloutStatus } from './status.ts';
import { Suspects } from './suspects.ts';
import { deriveVerdicts, type Refusal, type Verdict } from './verdict.ts';

export interface NodeRolloutOptions {
  /** Without a probe, an acknowledged resource counts as warm. */
  readonly probe?: WarmthProbe;
  readonly timers?: Timers;
  readonly clock?: Clock;
  readonly limits?: Partial<RolloutLimits>;
  /** The last good set of this node's Envoy, from the disk. */
  readonly lastGood?: Snapshot;
  /** The status may have changed; several simultaneous changes cause one call. */
  readonly onStatus?: (status: RolloutStatus) => void;
  /** `lastGood()` has changed. May be called often: write it to the disk with a delay. */
  readonly onLastGood?: () => void;
}

export const ROLLOUT_LIMITS: RolloutLimits = {
  warmMs: 5_000,
  restoreMs: 10_000,
  graceMs: 5_000,
  drainMs: 600_000,
  endsMax: 3,
};

/**
 * Rolls out the snapshots of one node to its Envoy, and remembers what worked.
 *
 * There is one session per stream. If there are several (an Envoy that replaces another), the newest leads: it
 * determines the status and the last good set. When it closes, the newest of the others leads. The last good set
 * contains, per resource, the version that Envoy last accepted and used; it is always closed under references. When a
 * target is live, the set equals that target.
 */
export class NodeRollout {
  readonly #options: NodeRolloutOptions;
  readonly #memory: RolloutMemory;
  readonly #sessions: RolloutSession[] = [];
  readonly #suspects: Suspects;
  #target: { version: string; entries: Entries } | undefined;
  #good: Map<ResourceKey, Entry>;
  #recent: Entry[] = [];
  #refusals: ReadonlyMap<ResourceKey, Refusal> = new Map();
  #retired: EnvoyCopies['retired'] = [];
  #cancelStatus: (() => void) | undefined;

  constructor(options: NodeRolloutOptions = {}) {
    this.#options = options;
    this.#good = new Map(options.lastGood ? toEntries(options.lastGood) : NO_ENTRIES);
    this.#memory = this.#createMemory();
    this.#suspects = new Suspects(this.#memory.limits.endsMax);
  }

  setTarget(snapshot: Snapshot): void {
    if (this.#target?.version === snapshot.version) return;
    this.#target = { version: snapshot.version, entries: toEntries(snapshot) };
    for (const session of this.#sessions) session.changed();
    this.#memory.noteStatus();
  }

  /** Creates a session for one stream. Pass `binding` to the stream, and close the session with it. */
  openSession(): RolloutSession {
    const session = new RolloutSession(this.#memory, (closed) => this.#noteClosed(closed));
    this.#sessions.push(session);
    return session;
  }

  status(): RolloutStatus {
    const leader = this.#sessions.at(-1);
    if (leader) return leader.status();
    const { goal, clock, limits } = this.#memory;
    const copies = new EnvoyCopies(clock, limits);
    const view = { target: goal, copies, refusals: this.#refusals, now: 0, warmLimitMs: 0, probeFails: false };
    const verdicts = deriveVerdicts({ ...view, isWanted: () => true });
    const status = deriveStatus({ target: goal, verdicts, copies, retiring: [], version: this.#target?.version ?? '' });
    return { ...status, state: 'in_progress' };
  }

  /** The set that an Envoy without configuration gets first; undefined if nothing ever worked. */
  lastGood(): Snapshot | undefined {
    return this.#good.size === 0 ? undefined : toSnapshot(this.#good);
  }

  close(): void {
    for (const session of [...this.#sessions]) session.close();
    this.#cancelStatus?.();
    this.#cancelStatus = undefined;
  }

  #createMemory(): RolloutMemory {
    const self = this;
    const { clock = systemClock, timers = systemTimers, limits, probe } = this.#options;
    return {
      clock,
      timers,
      limits: { ...ROLLOUT_LIMITS, ...limits },
      probe,
      get targetVersion() {
        return self.#target?.version;
      },
      get goal() {
        return self.#target?.entries ?? self.#good;
      },
      get good() {
        return self.#good;
      },
      get recent() {
        return self.#recent;
      },
      get refusals() {
        return self.#refusals;
      },
      get retired() {
        return self.#retired;
      },
      findEntry: (key, version) => this.#findEntry(key, version),
      takeSuspects: () => this.#suspects.take(),
      learn: (session, insight) => this.#learn(session, insight),
      noteStatus: () => this.#noteStatus(),
    };
  }

  #findEntry(key: ResourceKey, version: string): Entry | undefined {
    const candidates = [this.#target?.entries.get(key), this.#good.get(key)];
    const found = candidates.find((entry) => isVersion(entry, version));
    return found ?? this.#recent.find((entry) => entry.key === key && isVersion(entry, version));
  }

  #noteClosed(session: RolloutSession): void {
    const at = this.#sessions.indexOf(session);
    if (at === -1) return;
    const leads = at === this.#sessions.length - 1;
    this.#sessions.splice(at, 1);
    if (!leads) return;
    // An Envoy that only lost its stream reconnects with versions whose content we must know.
    const known = [...session.copies.entries()].flatMap(([, copy]) =>
      [copy.live ?? [], copy.inFlight, copy.maybe].flat(),
    );
    this.#recent = [...known, ...session.listUntold()];
    this.#refusals = new Map(session.refusals);
    this.#retired = session.copies.retired;
    this.#suspects.noteEnd(session.copies, this.#good);
    this.#sessions.at(-1)?.changed();
    this.#noteStatus();
  }

  #learn(session: RolloutReporter, { verdicts, inUse }: SessionInsight): void {
    if (session !== this.#sessions.at(-1) || !this.#target) return;
    const good = new Map(this.#good);
    const kinds = [...verdicts.values()];
    const live = kinds.every((verdict) => verdict.kind === 'open' || (verdict.kind === 'settled' && verdict.seen));
    for (const [key, entry] of this.#target.entries) {
      const verdict = verdicts.get(key);
      const works = isSeen(verdict) && entry.dependsOn.every((need) => isUsable(need, verdicts));
      if (works) this.#suspects.clear(entry);
      if (works || live) good.set(key, entry);
      // Envoy does not have it and will be offered the new version; the references of the old one may be removed.
      else if (verdict?.kind === 'open' && !isVersion(good.get(key), entry.resource.version)) good.delete(key);
    }
    for (const key of good.keys()) {
      const gone = !session.copies.get(key) && !inUse.has(key);
      if (!this.#target.entries.has(key) && (live || gone)) good.delete(key);
    }
    const same = good.size === this.#good.size && [...good].every(([key, entry]) => this.#good.get(key) === entry);
    if (same) return;
    this.#good = good;
    this.#options.onLastGood?.();
  }

  #noteStatus(): void {
    const { onStatus } = this.#options;
    if (!onStatus || this.#cancelStatus) return;
    this.#cancelStatus = this.#memory.timers.after(0, () => {
      this.#cancelStatus = undefined;
      onStatus(this.status());
    });
  }
}

function isSeen(verdict: Verdict | undefined): boolean {
  return verdict?.kind === 'settled' && verdict.seen;
}

/** Keeps the last good set closed: a reference is in it, is not in the target, or is only loaded on demand. */
function isUsable(need: ResourceKey, verdicts: ReadonlyMap<ResourceKey, Verdict>): boolean {
  const verdict = verdicts.get(need);
  const isOnDemand = parseResourceKey(need).typeUrl === RESOURCE_TYPE.virtualHost;
  return verdict === undefined || isSeen(verdict) || (isOnDemand && verdict.kind === 'open');
}
