import { type Block, columnOf, type Series, seriesAt } from './block.ts';
import { findColumn, GAUGE_COLUMNS } from './columns.ts';
import type { IntervalValues } from './interval-values.ts';

export interface Grid {
  readonly startMs: number;
  readonly stepMs: number;
}

export interface Span {
  readonly fromMs: number;
  readonly durationMs: number;
}

/** The part of a span in one step. `since` and `until` are the shares of the span that have passed at its start and end. */
export interface Share {
  readonly step: number;
  readonly coveredMs: number;
  readonly since: number;
  readonly until: number;
}

/** Cuts a span at the borders of the steps. Parts outside of the grid keep their share, but are left out. */
export function cut({ fromMs, durationMs }: Span, { startMs, stepMs }: Grid, steps: number): Share[] {
  const toMs = fromMs + durationMs;
  const shares: Share[] = [];
  for (let step = Math.max(Math.floor((fromMs - startMs) / stepMs), 0); step < steps; step += 1) {
    const start = Math.max(startMs + step * stepMs, fromMs);
    const end = Math.min(startMs + (step + 1) * stepMs, toMs);
    if (end <= start) break;
    const [since, until] = [(start - fromMs) / durationMs, (end - fromMs) / durationMs];
    shares.push({ step, coveredMs: end - start, since, until });
  }
  return shares;
}

/** The part of a whole number that belongs to a share. The parts of a span add up to the whole. */
export function partOf(count: number, { since, until }: Pick<Share, 'since' | 'until'>): number {
  return Math.round(count * until) - Math.round(count * since);
}

/**
 * Adds an interval to the steps that it covers, in proportion: an interval that is longer because its agent was frozen causes
 * no peak. A gauge was read at the end of the interval, so it counts where the interval ends, and elsewhere only if nothing
 * else is known.
 */
export function addInterval(block: Block, grid: Grid, interval: Span & { readonly values: IntervalValues }): void {
  const { values } = interval;
  const shares = cut(interval, grid, block.steps);
  const unknown = new Set(shares.filter(({ step }) => block.coveredMs[step] === 0).map(({ step }) => step));
  for (const { step, coveredMs } of shares) block.coveredMs[step] = (block.coveredMs[step] ?? 0) + coveredMs;
  const last = shares.at(-1);
  if (last?.until === 1) clearGauges(block, last.step);
  for (let i = 0; i < values.size; i += 1) {
    const series = seriesAt(block, values.nameAt(i));
    addValues(series, values, { from: values.endAt(i - 1), to: values.endAt(i), shares, unknown, steps: block.steps });
  }
}

interface Parts {
  /** The values of the series. */
  readonly from: number;
  readonly to: number;
  readonly shares: readonly Share[];
  readonly unknown: ReadonlySet<number>;
  readonly steps: number;
}

function addValues(series: Series, { ids, values }: IntervalValues, { from, to, shares, unknown, steps }: Parts): void {
  for (let i = from; i < to; i += 1) {
    const [id = 0, value = 0] = [ids[i], values[i]];
    const column = columnOf(series, id, steps);
    const isGauge = findColumn(id)?.kind === 'gauge';
    for (const share of shares) {
      const { step, until } = share;
      if (!isGauge) column[step] = (column[step] ?? 0) + partOf(value, share);
      else if (until === 1 || unknown.has(step)) column[step] = value;
    }
  }
}

/** A gauge that the interval does not have was zero at its end. */
function clearGauges(block: Block, step: number): void {
  for (const { columns } of block.series.values()) {
    for (const id of GAUGE_COLUMNS) {
      const column = columns.get(id);
      if (column) column[step] = 0;
    }
  }
}
