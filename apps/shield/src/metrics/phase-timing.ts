/** Upper bounds of the phase histograms, in seconds. */
export const PHASE_BOUNDS_SECONDS: readonly number[] = [
  2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2.5e-4, 1e-3, 5e-3, 2.5e-2, 1e-1, 1,
];

export type Phase = 'headers' | 'body';
/** A histogram's buckets (`le` and the index of the bound; the last one is above all bounds) and the sum of seconds. */
export type PhaseCell = `${Phase}:le:${number}` | `${Phase}:sum`;

const PHASES: readonly Phase[] = ['headers', 'body'];

export const PHASE_CELLS: readonly PhaseCell[] = PHASES.flatMap((phase): PhaseCell[] => [
  ...[...PHASE_BOUNDS_SECONDS, Number.POSITIVE_INFINITY].map((_, bound): PhaseCell => `${phase}:le:${bound}`),
  `${phase}:sum`,
]);

/** Cells that include those of the phases. */
export interface PhaseCells {
  rowOf(thread: number): Float64Array;
  at(name: PhaseCell): number;
  sum(name: PhaseCell): number;
}

/** One in this many header phases is timed, because reading the clock twice costs more than many decisions. */
export const HEADERS_TIMED_EVERY = 64;

interface Places {
  readonly first: number;
  readonly sum: number;
}

/** Measures the exchanges of one thread, per message. */
export class PhaseTiming {
  readonly #row: Float64Array;
  readonly #headers: Places;
  readonly #body: Places;
  #untilTimed = HEADERS_TIMED_EVERY;

  constructor(cells: PhaseCells, thread: number) {
    this.#row = cells.rowOf(thread);
    this.#headers = { first: cells.at('headers:le:0'), sum: cells.at('headers:sum') };
    this.#body = { first: cells.at('body:le:0'), sum: cells.at('body:sum') };
  }

  /** True for a header phase that must be timed; others must not read the clock. */
  isHeadersDue(): boolean {
    this.#untilTimed -= 1;
    if (this.#untilTimed > 0) return false;
    this.#untilTimed = HEADERS_TIMED_EVERY;
    return true;
  }

  onHeaders(ms: number): void {
    this.#observe(this.#headers, ms / 1000);
  }

  onBody(ms: number): void {
    this.#observe(this.#body, ms / 1000);
  }

  #observe({ first, sum }: Places, seconds: number): void {
    let bound = 0;
    while (bound < PHASE_BOUNDS_SECONDS.length && seconds > (PHASE_BOUNDS_SECONDS[bound] ?? 0)) bound += 1;
    this.#row[first + bound] = (this.#row[first + bound] ?? 0) + 1;
    this.#row[sum] = (this.#row[sum] ?? 0) + seconds;
  }
}

export interface PhaseHistogram {
  readonly phase: Phase;
  /** Observations at or below each bound; the last entry counts all. */
  readonly cumulative: readonly number[];
  readonly sumSeconds: number;
}

/** Sums over all threads. */
export function readPhase(cells: PhaseCells, phase: Phase): PhaseHistogram {
  const cumulative: number[] = [];
  let count = 0;
  for (let bound = 0; bound <= PHASE_BOUNDS_SECONDS.length; bound++) {
    count += cells.sum(`${phase}:le:${bound}`);
    cumulative.push(count);
  }
  return { phase, cumulative, sumSeconds: cells.sum(`${phase}:sum`) };
}
