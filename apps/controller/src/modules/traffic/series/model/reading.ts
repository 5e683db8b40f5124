import type { fleet } from '@flotilla/proto';
import { type addSeries, type Block, columnOf, createBlock, limitNames, seriesOf, sumUp } from './block.ts';
import {
  combine,
  ERROR_COLUMN,
  FIRST_BUCKET,
  findColumn,
  isLatency,
  LATENCY_SUM_US,
  REQUEST_COLUMNS,
  SCOPE_IDS,
} from './columns.ts';
import { toStoredBuckets } from './histogram.ts';
import { NAME_MAX_CHARS, type Problem, toProblems } from './problems.ts';
import { cut, partOf } from './spread.ts';

/** Names per interval of a node, over all scopes. */
export const NAMES_MAX = 2_000;
/** Agents read every ten seconds, and turn more than five minutes without a reading into a gap. */
const DURATION_MAX_MS = 600_000;
/** Older intervals would not be kept. */
const AGE_MAX_MS = 14 * 86_400_000;
const AHEAD_MAX_MS = 60_000;
/** More than any Envoy does in one interval; a larger number is not a count. */
const VALUE_MAX = 10n ** 13n;
const COUNT_MAX = Number(VALUE_MAX);
const BOUNDS_MAX = 200;
const OMITTED_MAX = 1_000_000;
const MINUTE_MS = 60_000;
const SCOPES = new Set<number>(Object.values(SCOPE_IDS));
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Responses of one minute, for sparklines and the detection of rising errors. */
export interface MinuteCounts {
  readonly minute: string;
  readonly requests: number;
  readonly errors: number;
  readonly covered_ms: number;
}

export interface Interval {
  readonly seq: bigint;
  readonly fromMs: number;
  readonly durationMs: number;
  readonly names: Block;
  readonly totals: Block;
  readonly minutes: readonly MinuteCounts[];
  readonly problems: readonly Problem[];
  readonly problemsOmitted: number;
  readonly namesOmitted: number;
}

export interface Reading {
  readonly intervals: readonly Interval[];
  /** Number of the last interval of the report, whether it was kept or not. */
  readonly lastSeq: bigint;
}

export interface Clock {
  readonly nowMs: number;
  /** Added to the times of the host. */
  readonly shiftMs: number;
}

export function isAddressed({ serviceId, epoch }: Pick<fleet.TrafficReport, 'serviceId' | 'epoch'>): boolean {
  return UUID.test(serviceId) && UUID.test(epoch);
}

/** Reads at most `max` intervals, oldest first, without those that no agent of ours would send. undefined: none. */
export function toReading(report: fleet.TrafficReport, clock: Clock, max: number): Reading | undefined {
  const taken = report.intervals.toSorted((a, b) => Number(a.seq - b.seq)).slice(0, max);
  const lastSeq = taken.at(-1)?.seq ?? 0n;
  if (lastSeq === 0n) return undefined;
  return { intervals: taken.flatMap((interval) => toInterval(interval, clock) ?? []), lastSeq };
}

function toInterval(interval: fleet.TrafficInterval, { nowMs, shiftMs }: Clock): Interval | undefined {
  const { seq, durationMs } = interval;
  const fromMs = Number(interval.fromMs) + shiftMs;
  const endMs = fromMs + durationMs;
  if (seq <= 0n || seq > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  if (durationMs <= 0 || durationMs > DURATION_MAX_MS) return undefined;
  if (!(endMs <= nowMs + AHEAD_MAX_MS && fromMs >= nowMs - AGE_MAX_MS)) return undefined;
  const names = createBlock(1);
  names.coveredMs[0] = durationMs;
  for (const series of interval.series) addReported(names, series);
  const dropped = limitNames(names, NAMES_MAX, weigh);
  const totals = sumUp(names);
  return {
    seq,
    fromMs,
    durationMs,
    names,
    totals,
    minutes: toMinutes(totals, { fromMs, durationMs }),
    problems: toProblems(interval.endpointProblems),
    problemsOmitted: Math.min(interval.endpointProblemsOmitted, OMITTED_MAX),
    namesOmitted: Math.min(interval.namesOmitted + dropped, OMITTED_MAX),
  };
}

/** Names of hostile agents cannot fill the memory: beyond twice the limit they are added to the others at once. */
function addReported(block: Block, { scope, name, values, latency }: fleet.TrafficSeries): void {
  if (!SCOPES.has(scope)) return;
  const isOther = scope !== SCOPE_IDS.server && (name === '' || name.length > NAME_MAX_CHARS);
  const wanted = isOther ? null : name.toWellFormed();
  const target = block.series.size < 2 * NAMES_MAX ? wanted : null;
  const series = seriesOf(block, scope, scope === SCOPE_IDS.server ? null : target);
  for (const { metric, value } of values) {
    const column = findColumn(metric);
    if (!column || isLatency(metric) || value <= 0n || value > VALUE_MAX) continue;
    const cell = columnOf(series, metric, 1);
    cell[0] = combine(column.across, cell[0] ?? 0, Number(value));
  }
  if (latency) addLatency(series, latency);
}

function addLatency(series: Parameters<typeof addSeries>[0], latency: fleet.TrafficHistogram): void {
  const bounds = toNumbers(latency.boundsUs);
  const counts = toNumbers(latency.counts);
  if (!isPlausible(bounds, counts)) return;
  const buckets = toStoredBuckets(bounds, counts);
  for (let bucket = 0; bucket < buckets.length; bucket += 1) {
    const count = buckets[bucket] ?? 0;
    if (count === 0) continue;
    const cell = columnOf(series, FIRST_BUCKET + bucket, 1);
    cell[0] = (cell[0] ?? 0) + count;
  }
  const sum = columnOf(series, LATENCY_SUM_US, 1);
  if (latency.sumUs <= VALUE_MAX * 1000n) sum[0] = (sum[0] ?? 0) + Number(latency.sumUs);
}

/** A loop, because every name of every report has a histogram. */
function toNumbers(values: readonly bigint[]): number[] {
  const numbers = new Array<number>(values.length);
  for (let i = 0; i < values.length; i += 1) numbers[i] = Number(values[i]);
  return numbers;
}

function isPlausible(bounds: readonly number[], counts: readonly number[]): boolean {
  if (counts.length !== bounds.length + 1 || bounds.length > BOUNDS_MAX) return false;
  let low = 0;
  for (const bound of bounds) {
    if (!(bound > low)) return false;
    low = bound;
  }
  return counts.every((count) => count <= COUNT_MAX);
}

/** Requests of a name, by which the busiest ones are kept. */
export function weigh({ columns }: { readonly columns: ReadonlyMap<number, readonly number[]> }): number {
  const sumOf = (id: number) => columns.get(id)?.reduce((sum, value) => sum + value, 0) ?? 0;
  return REQUEST_COLUMNS.reduce((sum, id) => sum + sumOf(id), 0);
}

function toMinutes(totals: Block, span: { readonly fromMs: number; readonly durationMs: number }): MinuteCounts[] {
  const columns = totals.series.get(`${SCOPE_IDS.server}`)?.columns;
  const read = (id: number) => columns?.get(id)?.[0] ?? 0;
  const requests = REQUEST_COLUMNS.reduce((sum, id) => sum + read(id), 0);
  const startMs = Math.floor(span.fromMs / MINUTE_MS) * MINUTE_MS;
  const steps = Math.ceil((span.fromMs + span.durationMs - startMs) / MINUTE_MS);
  return cut(span, { startMs, stepMs: MINUTE_MS }, steps).map((share) => ({
    minute: new Date(startMs + share.step * MINUTE_MS).toISOString(),
    requests: partOf(requests, share),
    errors: partOf(read(ERROR_COLUMN), share),
    covered_ms: Math.round(share.coveredMs),
  }));
}
