import { randomUUID } from 'node:crypto';

/** Policy names that are counted apart in the life of one filter; later ones share one place without a name. */
const POLICIES_MAX = 1000;

export type FindingVerdict = 'blocked' | 'detected' | 'error';

export interface PolicyCounter {
  /** Empty: of policies beyond the names that are counted apart. */
  readonly policy: string;
  /** Engine and reason are empty for `allowed`. */
  readonly engine: string;
  readonly reason: string;
  readonly verdict: 'allowed' | FindingVerdict;
  readonly total: number;
}

/**
 * Counts of one policy. Requests find it attached to the policy they are decided by: letting one through costs an
 * increment. Engines and reasons are closed sets, so there are few findings.
 */
export class PolicyCounts {
  #allowed = 0;
  readonly #findings = new Map<string, Map<string, Record<FindingVerdict, number>>>();

  countAllowed(): void {
    this.#allowed += 1;
  }

  countFinding(engine: string, reason: string, verdict: FindingVerdict): void {
    const counts = this.#findings.get(engine)?.get(reason) ?? this.#openFinding(engine, reason);
    counts[verdict] += 1;
  }

  #openFinding(engine: string, reason: string): Record<FindingVerdict, number> {
    const counts = { blocked: 0, detected: 0, error: 0 };
    const reasons = this.#findings.get(engine) ?? new Map<string, typeof counts>();
    this.#findings.set(engine, reasons.set(reason, counts));
    return counts;
  }

  /** What is not zero. */
  *list(policy: string): Generator<PolicyCounter> {
    if (this.#allowed > 0) yield { policy, engine: '', reason: '', verdict: 'allowed', total: this.#allowed };
    for (const [engine, reasons] of this.#findings) {
      for (const [reason, counts] of reasons) {
        for (const verdict of ['blocked', 'detected', 'error'] as const) {
          if (counts[verdict] > 0) yield { policy, engine, reason, verdict, total: counts[verdict] };
        }
      }
    }
  }
}

/** The counts of this run of the filter, by policy. They go on through reloads, also for policies that have left. */
export class CounterBook {
  /** Tells one run of the filter from the next, in which every total begins at zero. */
  readonly epoch = randomUUID();
  readonly #byPolicy = new Map<string, PolicyCounts>();
  readonly #others = new PolicyCounts();

  countsOf(policyName: string): PolicyCounts {
    const known = this.#byPolicy.get(policyName);
    if (known) return known;
    if (this.#byPolicy.size >= POLICIES_MAX) return this.#others;
    const counts = new PolicyCounts();
    this.#byPolicy.set(policyName, counts);
    return counts;
  }

  read(): { readonly epoch: string; readonly counters: readonly PolicyCounter[] } {
    const counters = [...this.#byPolicy].flatMap(([policy, counts]) => [...counts.list(policy)]);
    return { epoch: this.epoch, counters: [...counters, ...this.#others.list('')] };
  }
}
