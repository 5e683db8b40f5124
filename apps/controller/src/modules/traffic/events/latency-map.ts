import type { TrafficFilter, TrafficLatencyMap } from '@flotilla/contract';
import { LATENCY_BUCKETS, type LatencyMap, latencyBucketBounds, type Resolution } from '@flotilla/event-store';
import type { RequestContext } from '../../../platform/http/context.ts';
import { toTime } from './answers.ts';
import { isKept } from './kept.ts';
import { openLong, type Question } from './question.ts';
import type { EventSource } from './source.ts';
import { refuseField } from './window.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** As many columns as a chart has room for. */
const STEPS_MAX = 72;
const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 14].map((days) => days * DAY_MS),
];
/** Two classes of the store are one row, whose bounds are 64 µs, 128 µs and so on. */
const ROWS = Math.ceil((LATENCY_BUCKETS - 1) / 2) + 1;

interface Asked extends TrafficFilter {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export async function readLatencyMap(
  ctx: RequestContext,
  source: EventSource,
  query: Asked,
): Promise<TrafficLatencyMap> {
  const question = await openLong(ctx, source, { query });
  const stepMs = chooseStep(question);
  const map = await question.ask((store, project) => store.latencyMap(project, { ...question.range(), stepMs }));
  const sum = (of: (step: LatencyMap['data'][number]) => number) =>
    map.data.reduce((total, step) => total + of(step), 0);
  const [events, requests] = [sum((step) => step.events), sum((step) => step.requests)];
  return { ...question.describe({ ...map, events, requests }), step_s: stepMs / 1000, ...toRows(map), requests };
}

/** The shortest step that fits, and whose sums are kept for the whole window. Throws request.invalid if none are. */
function chooseStep(question: Question): number {
  const { window, kept } = question;
  const isInRollups = question.isInRollups();
  const step = STEPS_MS.find(
    (stepMs) =>
      Math.ceil((window.to - window.from) / stepMs) <= STEPS_MAX &&
      isKept(window, isInRollups ? resolutionOf(stepMs) : 'raw', kept),
  );
  if (step === undefined) throw refuseField('from', 'is before the time from which requests are kept');
  return step;
}

function resolutionOf(stepMs: number): Resolution {
  if (stepMs % DAY_MS === 0) return '1d';
  return stepMs % HOUR_MS === 0 ? '1h' : '1m';
}

/** Leaves out the fastest and the slowest rows that no step has. */
function toRows({ data }: LatencyMap): Pick<TrafficLatencyMap, 'classes' | 'steps'> {
  const steps = data.map(({ timeMs, counts }) => ({ at: toTime(timeMs), rows: joinClasses(counts) }));
  const isSeen = (row: number) => steps.some(({ rows }) => (rows[row] ?? 0) > 0);
  const seen = Array.from({ length: ROWS }, (_, row) => row).filter(isSeen);
  const [first = 0, last = -1] = [seen[0], seen.at(-1)];
  return {
    classes: Array.from({ length: last - first + 1 }, (_, index) => boundsOf(first + index)),
    steps: steps.map(({ at, rows }) => ({ at, requests: rows.slice(first, last + 1) })),
  };
}

function joinClasses(counts: readonly number[]): number[] {
  const rows = Array.from({ length: ROWS }, () => 0);
  for (const [bucket, count] of counts.entries()) {
    const row = Math.ceil(bucket / 2);
    rows[row] = (rows[row] ?? 0) + count;
  }
  return rows;
}

function boundsOf(row: number): TrafficLatencyMap['classes'][number] {
  const { lowerUs } = latencyBucketBounds(Math.max(0, 2 * row - 1));
  const { upperUs } = latencyBucketBounds(Math.min(2 * row, LATENCY_BUCKETS - 1));
  return { from_ms: lowerUs / 1000, to_ms: Number.isFinite(upperUs) ? upperUs / 1000 : null };
}
