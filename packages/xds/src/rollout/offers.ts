import type { ResourceKey } from '../resource.ts';
import type { Offer } from '../resource-source.ts';
import type { AskedNames } from './asked-names.ts';
import { type Entry, isVersion } from './entry.ts';
import type { EnvoyCopies } from './envoy-copies.ts';
import { deriveInUse, isRemovable } from './removal.ts';
import type { RolloutMemory, SessionInsight } from './rollout-memory.ts';
import { deriveVerdicts, type Refusal } from './verdict.ts';

/** The inputs of a session's decisions; read again after each `reset`. */
export interface SessionFacts {
  readonly memory: RolloutMemory;
  readonly copies: EnvoyCopies;
  readonly asked: AskedNames;
  readonly refusals: () => ReadonlyMap<ResourceKey, Refusal>;
  readonly probeFails: () => boolean;
  /** True while Envoy may have resources of types that it has not mentioned yet. */
  readonly presumes: () => boolean;
}

const SILENCE: Offer = { kind: 'keep', resource: undefined };

/** Decides what one Envoy gets for a name, based on verdicts for the whole target that are computed once per change. */
export class Offers {
  readonly #facts: SessionFacts;
  #insight: SessionInsight | undefined;

  constructor(facts: SessionFacts) {
    this.#facts = facts;
  }

  /** Call when an input of the decisions has changed. */
  reset(): void {
    this.#insight = undefined;
  }

  get insight(): SessionInsight {
    this.#insight ??= this.#derive();
    return this.#insight;
  }

  /** Offers the target step by step. */
  offer(key: ResourceKey): Offer {
    const wanted = this.#facts.memory.goal.get(key);
    return wanted ? this.#offerWanted(wanted) : this.#offerUnwanted(key);
  }

  /** Offers the last good set, all at once. */
  offerGood(key: ResourceKey): Offer {
    const { good, goal } = this.#facts.memory;
    const entry = good.get(key);
    if (!entry) return goal.has(key) ? SILENCE : { kind: 'absent' };
    return this.#isRefused(entry) ? SILENCE : { kind: 'serve', resource: entry.resource };
  }

  #offerWanted(entry: Entry): Offer {
    const verdict = this.insight.verdicts.get(entry.key)?.kind ?? 'waiting';
    if (verdict === 'held') return this.#offerBack(entry);
    if (verdict === 'waiting' || verdict === 'refused') return this.#offerLast(entry.key);
    return { kind: 'serve', resource: entry.resource };
  }

  #offerUnwanted(key: ResourceKey): Offer {
    const { copies, presumes } = this.#facts;
    // A reconnecting Envoy reports what it has type by type. Only then is it known what uses this resource.
    return !presumes() && isRemovable(key, this.insight.inUse, copies) ? { kind: 'absent' } : this.#offerLast(key);
  }

  /** Envoy may have applied it before a dependency was refused; it then gets back the previous good version. */
  #offerBack({ key, resource }: Entry): Offer {
    const copy = this.#facts.copies.get(key);
    if (!isVersion(copy?.live, resource.version)) return this.#offerLast(key);
    const before = copy?.previous ?? this.#facts.memory.good.get(key);
    return before ? { kind: 'serve', resource: before.resource } : { kind: 'keep', resource };
  }

  /** Offers the last version that is known to work. */
  #offerLast(key: ResourceKey): Offer {
    const copy = this.#facts.copies.get(key);
    if (copy?.live || copy?.unknownVersion !== undefined) return { kind: 'keep', resource: copy.live?.resource };
    const good = this.#facts.memory.good.get(key);
    return good && !this.#isRefused(good) ? { kind: 'serve', resource: good.resource } : SILENCE;
  }

  #isRefused({ key, resource }: Entry): boolean {
    return this.#facts.refusals().get(key)?.version === resource.version;
  }

  #derive(): SessionInsight {
    const { memory, copies, asked, refusals, probeFails } = this.#facts;
    const { goal, good, limits, clock } = memory;
    const verdicts = deriveVerdicts({
      target: goal,
      copies,
      refusals: refusals(),
      isWanted: (key) => asked.has(key),
      now: clock.monotonic(),
      warmLimitMs: limits.warmMs,
      probeFails: probeFails(),
    });
    const inUse = deriveInUse(copies, goal, (key) => {
      const verdict = verdicts.get(key)?.kind;
      return verdict === 'settled' || verdict === 'open' ? undefined : good.get(key);
    });
    return { verdicts, inUse };
  }
}
