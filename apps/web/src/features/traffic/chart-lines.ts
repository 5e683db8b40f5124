import type { TrafficPoint, TrafficSeries, TrafficValueName } from '@flotilla/contract';
import { fillSteps } from '../../ui/fill-steps.ts';
import type { Series } from '../../ui/index.ts';
import { formatMs, formatRate, formatShare, formatShort } from './figures.ts';
import { texts } from './texts.tsx';

const text = texts.charts;

export interface Line {
  readonly label: string;
  readonly color: Series['color'];
  readonly read: (point: TrafficPoint) => number | null;
  /** Left out if no point has more than zero. */
  readonly isRare?: boolean;
}

export interface ChartSpec {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
  readonly leastTop: number;
}

const counter = (name: TrafficValueName) => (point: TrafficPoint) => point.values[name] ?? 0;
const gauge = (name: TrafficValueName) => (point: TrafficPoint) => point.values[name] ?? null;

const REQUESTS: ChartSpec = {
  title: text.requests,
  format: formatRate,
  leastTop: 0.1,
  lines: [
    { label: '2xx', color: '--f-good', read: counter('requests_2xx') },
    { label: '3xx', color: '--f-quiet', read: counter('requests_3xx'), isRare: true },
    { label: '4xx', color: '--f-warn', read: counter('requests_4xx'), isRare: true },
    { label: '5xx', color: '--f-bad', read: counter('requests_5xx') },
    { label: '1xx', color: '--f-busy', read: counter('requests_1xx'), isRare: true },
    { label: text.noStatus, color: '--f-line-strong', read: counter('resets'), isRare: true },
  ],
};

const ERROR_SHARE: ChartSpec = {
  title: text.errorShare,
  format: formatShare,
  leastTop: 0.01,
  lines: [{ label: text.share, color: '--f-bad', read: (point) => point.error_share }],
};

const LATENCY: ChartSpec = {
  title: text.latency,
  format: formatMs,
  leastTop: 1,
  lines: [
    { label: 'p50', color: '--f-good', read: (point) => point.p50_ms },
    { label: 'p95', color: '--f-busy', read: (point) => point.p95_ms },
    { label: 'p99', color: '--f-warn', read: (point) => point.p99_ms },
  ],
};

const CONNECTIONS: ChartSpec = {
  title: text.connections,
  format: formatShort,
  leastTop: 1,
  lines: [
    { label: text.activeConnections, color: '--f-busy', read: gauge('connections_active') },
    { label: text.activeRequests, color: '--f-good', read: gauge('requests_active'), isRare: true },
  ],
};

const ENDPOINTS: ChartSpec = {
  title: text.endpoints,
  format: formatShort,
  leastTop: 1,
  lines: [
    { label: text.endpointsHealthy, color: '--f-good', read: (point) => healthyOf(point) },
    { label: text.endpointsAll, color: '--f-quiet', read: gauge('endpoints') },
  ],
};

const FAILURES: ChartSpec = {
  title: text.failures,
  format: formatRate,
  leastTop: 0.1,
  lines: [
    { label: text.connectFailures, color: '--f-bad', read: counter('connect_failures') },
    { label: text.timeouts, color: '--f-warn', read: counter('timeouts') },
    { label: text.retries, color: '--f-busy', read: counter('retries') },
  ],
};

/** Agents leave out zeros: all endpoints without healthy ones means that none is healthy. */
function healthyOf({ values }: TrafficPoint): number | null {
  return values.endpoints === undefined ? null : (values.endpoints_healthy ?? 0);
}

/** Charts of what clients see, and of what Envoy sees of its upstreams. */
export const DOWNSTREAM_CHARTS: readonly ChartSpec[] = [REQUESTS, ERROR_SHARE, LATENCY, CONNECTIONS];
export const UPSTREAM_CHARTS: readonly ChartSpec[] = [...DOWNSTREAM_CHARTS, ENDPOINTS, FAILURES];

/** The values that the charts need. */
export const CHART_VALUES: readonly TrafficValueName[] = [
  'requests_1xx',
  'requests_2xx',
  'requests_3xx',
  'requests_4xx',
  'requests_5xx',
  'resets',
  'connections_active',
  'requests_active',
  'endpoints',
  'endpoints_healthy',
  'connect_failures',
  'timeouts',
  'retries',
];

export interface Steps {
  readonly times: readonly string[];
  readonly points: readonly (TrafficPoint | null)[];
  readonly openFrom: number;
  readonly hasGaps: boolean;
}

/** Lists every step of the range; one without a report has no point, so that charts show a gap. */
export function toSteps(series: TrafficSeries): Steps {
  const { times, points } = fillSteps(series);
  const openMs = series.open_from === null ? Number.POSITIVE_INFINITY : Date.parse(series.open_from);
  return {
    times,
    points,
    openFrom: times.filter((at) => Date.parse(at) < openMs).length,
    hasGaps: series.gaps.length > 0,
  };
}

/** Returns the lines of a chart, followed by those of the earlier range, step by step. */
export function toLines(spec: ChartSpec, steps: Steps, earlier: Steps | undefined): Series[] {
  const valuesOf = ({ read }: Line, { points }: Steps) => points.map((point) => point && read(point));
  const isShown = (line: Line) =>
    !line.isRare || [steps, earlier].some((one) => one && valuesOf(line, one).some((value) => value));
  const lines = spec.lines.filter(isShown);
  return [
    ...lines.map((line) => ({ label: line.label, color: line.color, values: valuesOf(line, steps) })),
    ...(earlier
      ? lines.map((line) => {
          const values = valuesOf(line, earlier);
          return {
            label: text.earlier(line.label),
            color: line.color,
            values: steps.times.map((_, index) => values[index] ?? null),
            isEarlier: true,
          };
        })
      : []),
  ];
}
