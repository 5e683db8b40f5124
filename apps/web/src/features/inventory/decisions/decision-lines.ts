import type { TrafficGap, TrafficSeriesPoint, TrafficStats } from '@flotilla/contract';
import type { Series } from '../../../ui/index.ts';
import { STEP_MS } from '../charts/traffic-lines.ts';
import { texts } from './texts.ts';

const LINES = [
  ['', '--f-quiet'],
  ['allow', '--f-good'],
  ['detect', '--f-warn'],
  ['block', '--f-bad'],
] as const satisfies readonly (readonly [keyof typeof texts.lines, Series['color']])[];

interface DecisionLines {
  readonly times: readonly string[];
  readonly series: readonly Series[];
  /** Index of the first step that is not over at the end of the range. */
  readonly openFrom: number;
  readonly hasGaps: boolean;
}

/**
 * One line for each decision. A series that is split by a column has no point for steps without requests: those are zero, or a gap if
 * batches were lost in the step.
 */
export function toDecisionLines(
  { points, granularity, from, to }: Pick<TrafficStats, 'points' | 'granularity' | 'from' | 'to'>,
  gaps: readonly Pick<TrafficGap, 'at'>[] = [],
): DecisionLines {
  const stepMs = STEP_MS[granularity];
  const start = Math.floor(Date.parse(from) / stepMs) * stepMs;
  const count = Math.max(0, Math.ceil((Date.parse(to) - start) / stepMs));
  const times = Array.from({ length: count }, (_, index) => new Date(start + index * stepMs).toISOString());
  const requests = new Map(points.map((point) => [keyOf(point.value ?? '', point.at), point.requests]));
  const lost = new Set(gaps.map(({ at }) => Math.floor(Date.parse(at) / stepMs) * stepMs));
  const without = (at: string) => (lost.has(Date.parse(at)) ? null : 0);
  const seen = new Set(points.map(({ value }) => value ?? ''));
  // Blocked requests have a line without any, too: their absence is a message.
  const shown = LINES.filter(([name]) => seen.has(name) || name === 'block' || name === 'detect');
  const series = shown.map(([name, color]) => ({
    label: texts.lines[name],
    color,
    values: times.map((at) => requests.get(keyOf(name, at)) ?? without(at)),
  }));
  return {
    times,
    series,
    openFrom: times.filter((at) => Date.parse(at) + stepMs <= Date.parse(to)).length,
    hasGaps: series.some(({ values }) => values.includes(null)),
  };
}

function keyOf(value: string, at: TrafficSeriesPoint['at']): string {
  return `${value} ${Date.parse(at)}`;
}
