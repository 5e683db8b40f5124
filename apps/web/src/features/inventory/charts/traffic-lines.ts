import type { TrafficGap, TrafficSeriesPoint } from '@flotilla/contract';
import type { ChartMark, Series } from '../../../ui/index.ts';
import { texts } from '../texts.tsx';

const text = texts.charts;

export const STEP_MS = { '1m': 60_000, '1h': 3_600_000, '1d': 86_400_000 } as const;
export type Granularity = keyof typeof STEP_MS;

export interface Lines {
  readonly times: readonly string[];
  readonly requests: readonly Series[];
  readonly errors: readonly Series[];
  readonly latency: readonly Series[];
  readonly bytes: readonly Series[];
  readonly uniques: readonly Series[];
  readonly risk: readonly Series[];
  /** Index of the first step that is not over yet. */
  readonly openFrom: number;
  readonly hasGaps: boolean;
}

interface Input {
  readonly points: readonly TrafficSeriesPoint[];
  readonly granularity: Granularity;
  readonly gaps: readonly TrafficGap[];
  /** In ms. */
  readonly now: number;
}

type Kind = 'requests' | 'blocked' | 'errors' | 'latency' | 'bytes' | 'uniques' | 'risk';
type Read = (point: TrafficSeriesPoint) => number | null;
type Line = readonly [label: string, color: Series['color'], read: Read];

type StatusClass = keyof NonNullable<TrafficSeriesPoint['status_classes']>;

const STATUS_LINES = [
  ['2xx', '--f-good'],
  ['3xx', '--f-quiet'],
  ['4xx', '--f-warn'],
  ['5xx', '--f-bad'],
  ['1xx', '--f-busy'],
  ['none', '--f-line-strong'],
] as const satisfies readonly (readonly [StatusClass, Series['color']])[];

/** Shown without requests, too: their absence is a message. */
const ALWAYS: readonly StatusClass[] = ['2xx', '4xx', '5xx'];

/** The lines of each chart. Rates are per second. */
function listLines(stepMs: number): Readonly<Record<Kind, readonly Line[]>> {
  const perSecond = (read: (point: TrafficSeriesPoint) => number) => (point: TrafficSeriesPoint) =>
    read(point) / (stepMs / 1000);
  const classPerSecond =
    (status: StatusClass): Read =>
    ({ status_classes: classes }) =>
      classes === undefined ? null : classes[status] / (stepMs / 1000);
  return {
    requests: STATUS_LINES.map(([status, color]) => [texts.statusClasses[status], color, classPerSecond(status)]),
    blocked: [[text.blocked, '--f-line-strong', perSecond(({ blocked }) => blocked)]],
    errors: [
      [text.client, '--f-warn', ({ client_error_share: share }) => share],
      [text.server, '--f-bad', ({ server_error_share: share }) => share],
    ],
    latency: [
      ['p50', '--f-good', ({ p50_ms: ms }) => ms],
      ['p95', '--f-busy', ({ p95_ms: ms }) => ms],
      ['p99', '--f-warn', ({ p99_ms: ms }) => ms],
    ],
    bytes: [
      [text.sent, '--f-busy', perSecond(({ response_bytes: bytes }) => bytes)],
      [text.received, '--f-good', perSecond(({ request_bytes: bytes }) => bytes)],
    ],
    uniques: [
      [text.consumers, '--f-busy', ({ unique_consumers: consumers }) => consumers],
      [text.sources, '--f-good', ({ unique_sources: sources }) => sources],
    ],
    risk: [[text.threat, '--f-bad', ({ risk_max: risk }) => risk]],
  };
}

/**
 * Draws the points of an answer. A step without requests in which batches were lost is a gap: nobody knows how many requests it had. Other
 * steps without requests are zero.
 */
export function toLines({ points, granularity, gaps, now }: Input): Lines {
  const stepMs = STEP_MS[granularity];
  const stepOf = (at: string) => Math.floor(Date.parse(at) / stepMs);
  const lost = new Set(gaps.map(({ at }) => stepOf(at)));
  const isGap = (point: TrafficSeriesPoint) => point.requests === 0 && lost.has(stepOf(point.at));
  const draw = (lines: readonly Line[]): readonly Series[] =>
    lines.map(([label, color, read]) => ({
      label,
      color,
      values: points.map((point) => (isGap(point) ? null : read(point))),
    }));
  const { requests, blocked, errors, latency, bytes, uniques, risk } = listLines(stepMs);
  const isSeen = ([label, , read]: Line) =>
    ALWAYS.some((status) => status === label) || points.some((point) => (read(point) ?? 0) > 0);
  return {
    times: points.map(({ at }) => at),
    requests: draw([...requests, ...blocked].filter(isSeen)),
    errors: draw(errors),
    latency: draw(latency),
    bytes: draw(bytes),
    uniques: draw(uniques),
    risk: draw(risk),
    openFrom: points.filter(({ at }) => Date.parse(at) + stepMs <= now).length,
    hasGaps: points.some(isGap),
  };
}

/** Marks the minutes in which requests were lost. */
export function toMarks(gaps: readonly TrafficGap[]): readonly ChartMark[] {
  return gaps.map(({ at, batches }) => ({ at, label: texts.gaps.mark(batches) }));
}

/** Requests per second in the last step that is over; undefined if steps are longer than a minute. */
export function currentRate({ points, granularity, now }: Omit<Input, 'gaps'>): number | undefined {
  if (granularity !== '1m') return undefined;
  const last = points.findLast(({ at }) => Date.parse(at) + STEP_MS['1m'] <= now);
  return last && last.requests / 60;
}

/** Formats requests per second: `0.25/s`, `12.3/s`, `1,250/s`. */
export function formatRate(rate: number): string {
  if (rate > 0 && rate < 0.01) return text.belowHundredth;
  const value =
    rate >= 100 ? Math.round(rate).toLocaleString('en') : String(Number(rate.toPrecision(rate < 1 ? 2 : 3)));
  return text.perSecond(value);
}
