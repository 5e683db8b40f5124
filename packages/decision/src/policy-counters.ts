import { randomUUID } from 'node:crypto';
import {
  BODY_REASONS,
  ENGINE_ERROR_REASON,
  ENGINE_NAMES,
  ENGINE_REASONS,
  ENGINE_TIMEOUT_REASON,
} from '@flotilla/policy';

/** Policy names with their own counts in the life of one filter; later ones share an entry without a name. */
const POLICIES_MAX = 1000;

const VERDICTS = ['blocked', 'detected', 'error'] as const;

export type FindingVerdict = (typeof VERDICTS)[number];

export interface PolicyCounter {
  /** Empty for policies beyond that limit. */
  readonly policy: string;
  /** Engine and reason are empty for `allowed`. */
  readonly engine: string;
  readonly reason: string;
  readonly verdict: 'allowed' | FindingVerdict;
  readonly total: number;
}

/** All possible findings, in the order of their counts in memory. */
const FINDINGS: readonly { readonly engine: string; readonly reason: string }[] = [
  ...ENGINE_NAMES.flatMap((engine) =>
    [...ENGINE_REASONS[engine], ENGINE_ERROR_REASON, ENGINE_TIMEOUT_REASON].map((reason) => ({ engine, reason })),
  ),
  ...BODY_REASONS.map((reason) => ({ engine: 'body', reason })),
];

/** Offset of the counts of a finding within those of a policy. The first cell counts allowed requests. */
const FINDING_CELLS: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map(
  [...new Set(FINDINGS.map(({ engine }) => engine))].map((engine) => [
    engine,
    new Map(
      FINDINGS.flatMap((finding, n) =>
        finding.engine === engine ? [[finding.reason, 1 + n * VERDICTS.length] as const] : [],
      ),
    ),
  ]),
);

const POLICY_CELLS = 1 + FINDINGS.length * VERDICTS.length;
/** The entry shared by all further policies. */
const OTHERS = 0;

/**
 * The counts of one policy in one thread. They are attached to the policy that decides a request: counting an allowed
 * request is one increment in memory that no other thread writes to.
 */
export class PolicyCounts {
  readonly #cells: Float64Array;
  /** The last finding that was counted: in a flood all are the same. */
  #lastEngine = '';
  #lastReason = '';
  #lastVerdict: FindingVerdict = 'blocked';
  #lastCell: number | undefined;

  constructor(cells: Float64Array) {
    this.#cells = cells;
  }

  countAllowed(): void {
    this.#cells[0] = (this.#cells[0] ?? 0) + 1;
  }

  countFinding(engine: string, reason: string, verdict: FindingVerdict): void {
    if (reason !== this.#lastReason || verdict !== this.#lastVerdict || engine !== this.#lastEngine) {
      const first = FINDING_CELLS.get(engine)?.get(reason);
      this.#lastEngine = engine;
      this.#lastReason = reason;
      this.#lastVerdict = verdict;
      // Both come from closed sets; a test keeps them consistent.
      this.#lastCell = first === undefined ? undefined : first + VERDICTS.indexOf(verdict);
    }
    if (this.#lastCell !== undefined) this.#cells[this.#lastCell] = (this.#cells[this.#lastCell] ?? 0) + 1;
  }
}

/** Source of counts for a runtime: a `CounterBook`, or the counts of another thread. */
export interface PolicyCountsSource {
  countsOf(policyName: string): PolicyCounts;
}

/**
 * The counts of this run of the filter, by policy and thread. They survive reloads, also for policies that were
 * removed. The memory is shared: each thread writes to its own cells, and readers sum them.
 */
export class CounterBook {
  /** Identifies the run of the filter; every total starts at zero with it. */
  readonly epoch = randomUUID();
  readonly #places = new Map<string, number>();
  readonly #policiesMax: number;
  readonly #threads: readonly ThreadCounts[];

  constructor({ threads = 1, policiesMax = POLICIES_MAX } = {}) {
    const bytes = (policiesMax + 1) * POLICY_CELLS * Float64Array.BYTES_PER_ELEMENT;
    this.#policiesMax = policiesMax;
    this.#threads = Array.from({ length: threads }, () => new ThreadCounts(new SharedArrayBuffer(bytes)));
  }

  /** The memory from which the thread creates its `ThreadCounts`. */
  memoryOf(thread: number): SharedArrayBuffer {
    return this.#ofThread(thread).memory;
  }

  /** The counts that this (the first) thread adds to. */
  countsOf(policyName: string): PolicyCounts {
    return this.#ofThread(0).at(this.placeOf(policyName));
  }

  /** The entry of a policy, the same in every thread. */
  placeOf(policyName: string): number {
    const known = this.#places.get(policyName);
    if (known !== undefined) return known;
    if (this.#places.size >= this.#policiesMax) return OTHERS;
    const place = 1 + this.#places.size;
    this.#places.set(policyName, place);
    return place;
  }

  /** Returns the nonzero counts, summed over all threads. */
  read(): { readonly epoch: string; readonly counters: readonly PolicyCounter[] } {
    const counters = [...this.#places].flatMap(([policy, place]) => [...this.#list(policy, place)]);
    return { epoch: this.epoch, counters: [...counters, ...this.#list('', OTHERS)] };
  }

  *#list(policy: string, place: number): Generator<PolicyCounter> {
    const first = place * POLICY_CELLS;
    const allowed = this.#sum(first);
    if (allowed > 0) yield { policy, engine: '', reason: '', verdict: 'allowed', total: allowed };
    for (const [n, finding] of FINDINGS.entries()) {
      for (const [v, verdict] of VERDICTS.entries()) {
        const total = this.#sum(first + 1 + n * VERDICTS.length + v);
        if (total > 0) yield { policy, ...finding, verdict, total };
      }
    }
  }

  #sum(cell: number): number {
    return this.#threads.reduce((sum, thread) => sum + thread.read(cell), 0);
  }

  #ofThread(thread: number): ThreadCounts {
    const counts = this.#threads[thread];
    if (counts === undefined) throw new Error(`there is no thread ${thread}`);
    return counts;
  }
}

/** The counts that one thread adds to. */
export class ThreadCounts {
  readonly memory: SharedArrayBuffer;
  readonly #cells: Float64Array;
  readonly #opened = new Map<number, PolicyCounts>();

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#cells = new Float64Array(memory);
  }

  /** `place` comes from `CounterBook.placeOf`. */
  at(place: number): PolicyCounts {
    const opened = this.#opened.get(place);
    if (opened) return opened;
    const counts = new PolicyCounts(this.#cells.subarray(place * POLICY_CELLS, (place + 1) * POLICY_CELLS));
    this.#opened.set(place, counts);
    return counts;
  }

  read(cell: number): number {
    return this.#cells[cell] ?? 0;
  }
}
