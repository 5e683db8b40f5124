import { parseResourceKey, type ResourceKey } from '../resource.ts';
import { isWarmedType, isWholeType } from '../resource-type.ts';
import { type Entries, type Entry, isVersion } from './entry.ts';
import type { EnvoyCopies, EnvoyCopy } from './envoy-copies.ts';

/**
 * The state of one wanted resource at one Envoy.
 * - `waiting`: a dependency is not there yet.
 * - `ready`: may be sent; Envoy does not have it yet.
 * - `open`: may be sent, but Envoy has not requested it; it will once something that it runs refers to it.
 * - `sent`: unanswered.
 * - `warming`: acknowledged, not in use yet.
 * - `cold`: still not in use after the time limit, and no older version is; dependents are held back.
 * - `settled`: in use; `seen` is true if Envoy's config dump shows it (or the type needs no warming).
 * - `refused`: Envoy rejects it.
 * - `held`: depends on a refused, held or cold resource.
 */
export type Verdict =
  | { readonly kind: 'waiting' | 'ready' | 'open' | 'sent' | 'warming' | 'cold' }
  | { readonly kind: 'settled'; readonly seen: boolean }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'held'; readonly by: ResourceKey; readonly reason: string };

export interface Refusal {
  readonly version: string;
  readonly reason: string;
}

export interface RolloutView {
  readonly target: Entries;
  readonly copies: EnvoyCopies;
  readonly refusals: ReadonlyMap<ResourceKey, Refusal>;
  /** Whether Envoy requests this name. Always true for types requested as a whole. */
  readonly isWanted: (key: ResourceKey) => boolean;
  readonly now: number;
  readonly warmLimitMs: number;
  /** Envoy cannot be asked what is warm: after the limit, an acknowledgement is enough. */
  readonly probeFails: boolean;
}

/** Derives the verdict on every resource of the target. Dependency cycles are cut where they are first met. */
export function deriveVerdicts(view: RolloutView): Map<ResourceKey, Verdict> {
  return new Evaluation(view).evaluateAll();
}

class Evaluation {
  readonly #view: RolloutView;
  readonly #verdicts = new Map<ResourceKey, Verdict>();
  readonly #evaluating = new Set<ResourceKey>();

  constructor(view: RolloutView) {
    this.#view = view;
  }

  evaluateAll(): Map<ResourceKey, Verdict> {
    for (const entry of this.#view.target.values()) this.#evaluate(entry);
    return this.#verdicts;
  }

  #evaluate(entry: Entry): Verdict {
    const known = this.#verdicts.get(entry.key);
    if (known) return known;
    this.#evaluating.add(entry.key);
    const verdict = this.#judge(entry);
    this.#evaluating.delete(entry.key);
    this.#verdicts.set(entry.key, verdict);
    return verdict;
  }

  /** Returns the dependency that blocks the entry for good, or whether any is not there yet. */
  #judgeNeeds(entry: Entry): { block?: Verdict; waits: boolean } {
    let waits = false;
    for (const need of entry.dependsOn) {
      const wanted = this.#view.target.get(need);
      // A dependency outside the set is in Envoy's bootstrap or nowhere; waiting would not bring it.
      if (!wanted || this.#evaluating.has(need)) continue;
      const verdict = this.#evaluate(wanted);
      if (verdict.kind === 'refused' || verdict.kind === 'held' || verdict.kind === 'cold') {
        return { block: { kind: 'held', by: need, reason: describeBlock(need, verdict) }, waits };
      }
      waits ||= verdict.kind !== 'settled' && verdict.kind !== 'open';
    }
    return { waits };
  }

  /**
   * Envoy requests the dependencies of a cluster or listener only after it has accepted it. If it then refuses one, it
   * continues without: a listener without routes, a cluster without a secret. So nothing is settled before Envoy has
   * its dependencies.
   */
  #judgeWhole(entry: Entry, state: Verdict): Verdict {
    let waits = false;
    for (const need of entry.dependsOn) {
      const wanted = this.#view.target.get(need);
      if (!wanted || this.#evaluating.has(need) || this.#view.copies.get(need)?.live) continue;
      const verdict = this.#evaluate(wanted);
      if (verdict.kind === 'refused' || verdict.kind === 'held') {
        return { kind: 'held', by: need, reason: describeBlock(need, verdict) };
      }
      // `open` means here that Envoy works without it.
      waits ||= verdict.kind !== 'open';
    }
    return waits && state.kind === 'settled' ? { kind: 'warming' } : state;
  }

  #judge(entry: Entry): Verdict {
    const { key, resource } = entry;
    const copy = this.#view.copies.get(key);
    if (copy && isVersion(copy.live, resource.version))
      return this.#judgeWhole(entry, judgeLive(entry, copy, this.#view));
    const refusal = this.#view.refusals.get(key);
    if (refusal?.version === resource.version) return { kind: 'refused', reason: refusal.reason };
    const { block, waits } = this.#judgeNeeds(entry);
    if (block) return block;
    if (copy?.inFlight.some((sent) => isVersion(sent, resource.version))) return { kind: 'sent' };
    if (waits) return { kind: 'waiting' };
    return { kind: this.#view.isWanted(key) || isWholeType(resource.typeUrl) ? 'ready' : 'open' };
  }
}

function judgeLive(entry: Entry, copy: EnvoyCopy, view: RolloutView): Verdict {
  if (copy.warm || !isWarmedType(entry.resource.typeUrl)) return { kind: 'settled', seen: true };
  if (view.now - copy.ackedAt < view.warmLimitMs) return { kind: 'warming' };
  if (view.probeFails) return { kind: 'settled', seen: false };
  // An older version serves while this one warms, so the dependents of the name work.
  return copy.previous ? { kind: 'settled', seen: false } : { kind: 'cold' };
}

function describeBlock(key: ResourceKey, verdict: Verdict): string {
  const { typeUrl, name } = parseResourceKey(key);
  const type = typeUrl.slice(typeUrl.lastIndexOf('.') + 1);
  if (verdict.kind === 'refused') return `${type} "${name}" was refused by Envoy: ${verdict.reason}`;
  if (verdict.kind === 'held') return `${type} "${name}" is held: ${verdict.reason}`;
  return `${type} "${name}" was acknowledged but is not active in Envoy yet`;
}
