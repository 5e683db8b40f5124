import type { ResourceKey } from '../resource.ts';
import type { Offer } from '../resource-source.ts';
import type { AskedNames } from './asked-names.ts';
import { type Entry, isVersion } from './entry.ts';
import type { EnvoyCopies } from './envoy-copies.ts';
import { deriveInUse, isRemovable } from './removal.ts';
import type { RolloutMemory, SessionInsight } from './rollout-memory.ts';
import { deriveVerdicts, type Refusal } from './verdict.ts';

/** What a session knows when it decides; read anew after each `reset`. */
export interface SessionFacts {
  readonly memory: RolloutMemory;
  readonly copies: EnvoyCopies;
  readonly asked: AskedNames;
  readonly refusals: () => ReadonlyMap<ResourceKey, Refusal>;
  readonly probeFails: () => boolean;
  /** Envoy may have resources of types that it has not spoken of yet. */
  readonly presumes: () => boolean;
}

const SILENCE: Offer = { kind: 'keep', resource: undefined };

/** Decides what one Envoy gets for one name, from verdicts on the whole target that are derived once per change. */
export class Offers {
  readonly #facts: SessionFacts;
  #insight: SessionInsight | undefined;

  constructor(facts: SessionFacts) {
    this.#facts = facts;
  }

  /** Something that decisions rest on has changed. */
  reset(): void {
    this.#insight = undefined;
  }

  get insight(): SessionInsight {
    this.#insight ??= this.#derive();
    return this.#insight;
  }

  /** By the target, step by step. */
  offer(key: ResourceKey): Offer {
    const wanted = this.#facts.memory.goal.get(key);
    return wanted ? this.#offerWanted(wanted) : this.#offerUnwanted(key);
  }

  /** By the last good set, all at once. */
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
    // An Envoy that comes back tells type by type what it has: who uses this shows only when it has told everything.
    return !presumes() && isRemovable(key, this.insight.inUse, copies) ? { kind: 'absent' } : this.#offerLast(key);
  }

  /** Envoy may already have taken it before what it needs was refused: then it gets back what worked before. */
  #offerBack({ key, resource }: Entry): Offer {
    const copy = this.#facts.copies.get(key);
    if (!isVersion(copy?.live, resource.version)) return this.#offerLast(key);
    const before = copy?.previous ?? this.#facts.memory.good.get(key);
    return before ? { kind: 'serve', resource: before.resource } : { kind: 'keep', resource };
  }

  /** Whatever of it is known to work. */
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
