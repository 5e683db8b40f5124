import type { Block } from './block.ts';
import { ERROR_COLUMN, FIRST_BUCKET, REQUEST_COLUMNS, SCOPE_IDS } from './columns.ts';
import { BUCKETS, findQuantile } from './histogram.ts';

/** A node counts as reporting if it covers this part of the window. */
const COVERED_MIN = 0.5;
/** A node that has been away for longer is not waited for. */
const AWAY_MAX_MS = 10 * 60_000;

/** The minutes that a node reported before a time, and when it reports at all. */
export interface NodeMinutes {
  /** One step per minute; the last one ends at the end of the window. undefined: nothing was reported. */
  readonly block: Block | undefined;
  /** Ends of its first and newest report. undefined: it is not assigned to the service any more. */
  readonly known: { readonly firstMs: number; readonly newestMs: number } | undefined;
}

/** The traffic of all nodes of a service in a window. */
export interface WindowSums {
  /** Nodes that reported anything. */
  readonly reporting: number;
  /** Nodes whose part of the window is not known well enough; they are not among the counts, or not with everything. */
  readonly missing: number;
  readonly requests: number;
  readonly errors: number;
  /** A lower bound if nodes are missing. */
  readonly requestsPerS: number;
  /** Counts by bucket of latency. */
  readonly buckets: readonly number[];
}

interface Window {
  readonly untilMs: number;
  readonly windowMs: number;
}

const MINUTE_MS = 60_000;

/** Sums the last minutes of all nodes. Minutes that a node did not report are unknown, not zero. */
export function sumWindow(nodes: readonly NodeMinutes[], window: Window): WindowSums {
  const buckets = Array.from({ length: BUCKETS }, () => 0);
  const sums = { reporting: 0, missing: 0, requests: 0, errors: 0, requestsPerS: 0 };
  for (const node of nodes) {
    const own = sumNode(node.block, window);
    const expectedMs = node.known ? Math.min(window.windowMs, window.untilMs - node.known.firstMs) : 0;
    const isKnown = own.coveredMs > 0 && own.coveredMs >= expectedMs * COVERED_MIN;
    if (own.coveredMs > 0) sums.reporting += 1;
    if (!isKnown && expectedMs > 0 && isAwaited(node, window)) sums.missing += 1;
    sums.requests += own.requests;
    sums.errors += own.errors;
    sums.requestsPerS += (own.requests * 1000) / (isKnown ? own.coveredMs : window.windowMs);
    for (const [bucket, count] of own.buckets.entries()) buckets[bucket] = (buckets[bucket] ?? 0) + count;
  }
  return { ...sums, buckets };
}

function isAwaited({ known }: NodeMinutes, { untilMs, windowMs }: Window): boolean {
  return known !== undefined && known.newestMs > untilMs - windowMs - AWAY_MAX_MS;
}

function sumNode(block: Block | undefined, { windowMs }: Window) {
  const steps = block?.steps ?? 0;
  const first = Math.max(0, steps - windowMs / MINUTE_MS);
  const columns = block?.series.get(`${SCOPE_IDS.server}`)?.columns;
  const sum = (id: number) =>
    columns
      ?.get(id)
      ?.slice(first)
      .reduce((total, value) => total + value, 0) ?? 0;
  const covered = block?.coveredMs.slice(first) ?? [];
  return {
    coveredMs: covered.reduce((total, ms) => total + Math.min(ms, MINUTE_MS), 0),
    requests: REQUEST_COLUMNS.reduce((total, id) => total + sum(id), 0),
    errors: sum(ERROR_COLUMN),
    buckets: Array.from({ length: BUCKETS }, (_, bucket) => sum(FIRST_BUCKET + bucket)),
  };
}

export function countLatencies({ buckets }: WindowSums): number {
  return buckets.reduce((sum, count) => sum + count, 0);
}

/** Milliseconds; null without a request. */
export function latencyOfWindow({ buckets }: WindowSums, quantile: 'p95' | 'p99'): number | null {
  return findQuantile(buckets, quantile === 'p95' ? 0.95 : 0.99);
}
