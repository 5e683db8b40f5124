import type { TrafficGap, TrafficLatencyMap } from '@flotilla/contract';
import { formatLatency } from '../looks.ts';
import { texts } from './texts.ts';

type LatencyClass = TrafficLatencyMap['classes'][number];

/** A cell of the map: its column and its row, from the slowest at the top. */
export interface Place {
  readonly column: number;
  readonly row: number;
}

const STEP_OF: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Returns the place that a key leads to; undefined for other keys. Home and End are the ends of a row. */
export function move({ column, row }: Place, key: string, size: { columns: number; rows: number }): Place | undefined {
  if (key === 'Home') return { column: 0, row };
  if (key === 'End') return { column: size.columns - 1, row };
  const step = STEP_OF[key];
  if (step === undefined) return undefined;
  const keep = (value: number, count: number) => Math.min(Math.max(value, 0), count - 1);
  return { column: keep(column + step[0], size.columns), row: keep(row + step[1], size.rows) };
}

/** A bound of a class. Below one millisecond in microseconds, so that no two bounds look alike. */
export function formatBound(ms: number): string {
  return ms < 1 ? texts.microseconds(Math.round(ms * 1000)) : formatLatency(ms);
}

/** Names a class: `65.5 ms to 131 ms`. */
export function nameClass({ from_ms: from, to_ms: to }: LatencyClass): string {
  if (to === null) return texts.over(formatBound(from));
  return from === 0 ? texts.upTo(formatBound(to)) : texts.between(formatBound(from), formatBound(to));
}

/** The filters of the requests of a cell. The store has microseconds, and the lower bound does not belong to the class. */
export function toCellSearch(
  { classes, steps, step_s: stepS }: Pick<TrafficLatencyMap, 'classes' | 'steps' | 'step_s'>,
  { column, row }: Place,
): Readonly<Record<string, string>> | undefined {
  const [cell, step] = [classes[classes.length - 1 - row], steps[column]];
  if (cell === undefined || step === undefined) return undefined;
  const { from_ms: from, to_ms: to } = cell;
  return {
    from: step.at,
    to: new Date(Date.parse(step.at) + stepS * 1000).toISOString(),
    ...(from > 0 && { min_latency_ms: String(Number((from + 0.001).toFixed(3))) }),
    ...(to !== null && { max_latency_ms: String(to) }),
  };
}

/** The columns without requests in which batches were lost: nobody knows how many requests they had. */
export function findGaps(
  { steps, step_s: stepS }: Pick<TrafficLatencyMap, 'steps' | 'step_s'>,
  gaps: readonly Pick<TrafficGap, 'at'>[],
): ReadonlySet<number> {
  const lost = gaps.map(({ at }) => Date.parse(at));
  const isGap = ({ at, requests }: TrafficLatencyMap['steps'][number]) => {
    const start = Date.parse(at);
    return requests.every((count) => count === 0) && lost.some((time) => time >= start && time < start + stepS * 1000);
  };
  return new Set(steps.flatMap((step, column) => (isGap(step) ? [column] : [])));
}
