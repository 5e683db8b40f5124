import type { Row } from './decode.ts';
import { LATENCY_BUCKETS, percentileOf } from './latency.ts';
import type { Latencies, Totals } from './port.ts';
import { HISTOGRAM } from './sql.ts';

/** The sums of a group while its rows are added up. */
export interface Sums {
  events: number;
  requests: number;
  clientErrors: number;
  serverErrors: number;
  blocked: number;
  requestBytes: number;
  responseBytes: number;
  responseBytesMax: number;
  latencyUsSum: number;
  latencyUsMax: number;
  riskMax: number;
  readonly histogram: number[];
}

export function createSums(): Sums {
  return {
    events: 0,
    requests: 0,
    clientErrors: 0,
    serverErrors: 0,
    blocked: 0,
    requestBytes: 0,
    responseBytes: 0,
    responseBytesMax: 0,
    latencyUsSum: 0,
    latencyUsMax: 0,
    riskMax: 0,
    histogram: Array.from({ length: LATENCY_BUCKETS }, () => 0),
  };
}

/** A row has the class of its latencies (`lb`) or a column for each class (`sh0` ...). Without events, sums are null. */
export function addSums(sums: Sums, row: Row): void {
  const read = (name: string) => Number(row[name] ?? 0);
  const requests = read('allRequests');
  sums.events += read('allEvents');
  sums.requests += requests;
  sums.clientErrors += read('clientErrors');
  sums.serverErrors += read('serverErrors');
  sums.blocked += read('blocked');
  sums.requestBytes += read('allRequestBytes');
  sums.responseBytes += read('allResponseBytes');
  sums.responseBytesMax = Math.max(sums.responseBytesMax, read('largestResponse'));
  sums.latencyUsSum += read('allLatency');
  sums.latencyUsMax = Math.max(sums.latencyUsMax, read('longestLatency'));
  sums.riskMax = Math.max(sums.riskMax, read('highestRisk'));
  if (row.lb !== undefined) addCount(sums, Number(row.lb), requests);
  else for (const [bucket, column] of HISTOGRAM.entries()) addCount(sums, bucket, read(`s${column}`));
}

function addCount({ histogram }: Sums, bucket: number, count: number): void {
  histogram[bucket] = (histogram[bucket] ?? 0) + count;
}

export function toTotals({ histogram: _, ...totals }: Sums): Totals {
  return totals;
}

export function toLatencies({ histogram, latencyUsMax }: Sums): Latencies {
  const quantile = (one: number) => percentileOf(histogram, one, latencyUsMax);
  return { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) };
}
