import type { Block, Series } from './block.ts';
import { combine, ERROR_COLUMN, FIRST_BUCKET, findColumn, isLatency, REQUEST_COLUMNS } from './columns.ts';
import { BUCKETS, findQuantile } from './histogram.ts';

/**
 * Sums over nodes, one per step. A node that reported only a part of a step counts with its rate in that part, so that the
 * open step does not look like a fall.
 */
export class SeriesSums {
  readonly steps: number;
  readonly nodes: Float64Array;
  readonly #stepMs: number;
  /** Counters per second, buckets as counts, gauges. */
  readonly #columns = new Map<number, Float64Array>();

  constructor({ steps, stepMs }: { readonly steps: number; readonly stepMs: number }) {
    this.steps = steps;
    this.#stepMs = stepMs;
    this.nodes = new Float64Array(steps);
  }

  /** Adds one name of one node, or its totals. */
  add(series: Series, coveredMs: readonly number[]): void {
    for (const [id, values] of series.columns) {
      const column = this.#columnOf(id);
      const { kind = 'counter', across = 'sum' } = findColumn(id) ?? {};
      const isRate = kind === 'counter' && !isLatency(id);
      for (let step = 0; step < this.steps; step += 1) {
        const covered = coveredMs[step] ?? 0;
        const value = values[step] ?? 0;
        if (covered === 0 || value === 0) continue;
        const part = isRate ? (value * 1000) / Math.min(covered, this.#stepMs) : value;
        column[step] = combine(across, column[step] ?? 0, part);
      }
    }
  }

  /** Notes which steps a node has reported. */
  addNode({ coveredMs }: Pick<Block, 'coveredMs'>): void {
    for (let step = 0; step < this.steps; step += 1) {
      if ((coveredMs[step] ?? 0) > 0) this.nodes[step] = (this.nodes[step] ?? 0) + 1;
    }
  }

  valueAt(id: number, step: number): number {
    return this.#columns.get(id)?.[step] ?? 0;
  }

  has(id: number): boolean {
    return this.#columns.has(id);
  }

  requestsAt(step: number): number {
    return REQUEST_COLUMNS.reduce((sum, id) => sum + this.valueAt(id, step), 0);
  }

  errorsAt(step: number): number {
    return this.valueAt(ERROR_COLUMN, step);
  }

  errorShareAt(step: number): number | null {
    const requests = this.requestsAt(step);
    return requests === 0 ? null : this.errorsAt(step) / requests;
  }

  latencyAt(step: number): { p50_ms: number | null; p95_ms: number | null; p99_ms: number | null } {
    const buckets = Array.from({ length: BUCKETS }, (_, bucket) => this.valueAt(FIRST_BUCKET + bucket, step));
    const of = (share: number) => findQuantile(buckets, share);
    return { p50_ms: of(0.5), p95_ms: of(0.95), p99_ms: of(0.99) };
  }

  #columnOf(id: number): Float64Array {
    const known = this.#columns.get(id);
    if (known) return known;
    const column = new Float64Array(this.steps);
    this.#columns.set(id, column);
    return column;
  }
}
