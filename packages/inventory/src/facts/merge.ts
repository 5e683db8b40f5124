import { type LastSeen, OPERATION_SET_LIMITS, type OperationDelta } from './operation-delta.ts';
import { type LatencyCounts, OPERATION_SETS, type OperationSet, type OperationState } from './operation-state.ts';
import { RISK_FLAGS, type RiskAxis, type RiskFlag } from './risk-flags.ts';

const SAMPLES_MAX = 5;
const REFLECTED_ORIGINS_MAX = 8;
const SCORE_MAX = 255;

/**
 * Adds a flush of the collector to an operation. The result does not depend on how requests are divided into flushes, and, as long as no set is at its
 * limit and nothing was reset, not on the order of the flushes. What happened before a reset is left out.
 */
export function mergeDelta(state: OperationState, delta: OperationDelta, nowMs: number): OperationState {
  const lastMs = Math.min(delta.lastMs, nowMs);
  const firstMs = Math.min(delta.firstMs, lastMs);
  const seenOnce = {
    ...state,
    confirmed: state.confirmed || delta.confirmed,
    firstMs: state.firstMs === 0 ? firstMs : Math.min(state.firstMs, firstMs),
    lastMs: Math.max(state.lastMs, lastMs),
    grpcService: earlierText(state.grpcService, delta.grpcService),
    grpcMethod: earlierText(state.grpcMethod, delta.grpcMethod),
    protocols: union(state.protocols, delta.protocols),
    sets: mergeSets(state.sets, delta),
  };
  const counted = lastMs < state.resetMs ? seenOnce : addCounts(seenOnce, delta, nowMs);
  return addRisk(counted, delta, nowMs);
}

function addCounts(state: OperationState, delta: OperationDelta, nowMs: number): OperationState {
  return {
    ...state,
    seen: add(state.seen, delta.seen),
    statuses: mergeStatuses(state.statuses, delta.statuses),
    latencyMaxMs: Math.max(state.latencyMaxMs, delta.latencyMaxMs),
    latencyClasses: state.latencyClasses.map((count, i) =>
      add(count, delta.latencyClasses[i] ?? 0),
    ) as unknown as LatencyCounts,
    responseBytesTotal: add(state.responseBytesTotal, delta.responseBytesTotal),
    responseBytesMax: Math.max(state.responseBytesMax, delta.responseBytesMax),
    requestBytesTotal: add(state.requestBytesTotal, delta.requestBytesTotal),
    blocked: add(state.blocked, delta.blocked),
    categories: union(state.categories, delta.categories),
    urlSchemes: union(state.urlSchemes ?? [], delta.urlSchemes ?? []),
    pii: mergeSeen(state.pii, delta.pii, { sinceMs: state.resetMs, nowMs }),
    samples: [...state.samples, ...(delta.samples ?? [])].slice(-SAMPLES_MAX),
  };
}

function addRisk(state: OperationState, delta: OperationDelta, nowMs: number): OperationState {
  const bounds = { sinceMs: state.scoresResetMs, nowMs };
  const flags = mergeSeen({}, delta.flags, bounds);
  const evidence = (before: number, atMs: number) =>
    atMs < bounds.sinceMs ? before : Math.max(before, Math.min(atMs, nowMs));
  return {
    ...state,
    flags: mergeSeen(state.flags, flags, bounds),
    threatMax: hasAxis(flags, 'threat') ? maxScore(state.threatMax, delta.threatMax) : state.threatMax,
    exposureMax: hasAxis(flags, 'exposure') ? maxScore(state.exposureMax, delta.exposureMax) : state.exposureMax,
    schemes: mergeSeen(state.schemes, delta.schemes, bounds),
    authenticatedMs: evidence(state.authenticatedMs, delta.authenticatedMs),
    anonymousMs: evidence(state.anonymousMs, delta.anonymousMs),
    refusedMs: evidence(state.refusedMs, delta.refusedMs),
    reflectedOrigins: newest(
      mergeSeen(state.reflectedOrigins, delta.reflectedOrigins ?? {}, bounds),
      REFLECTED_ORIGINS_MAX,
    ),
  };
}

function hasAxis(flags: LastSeen<RiskFlag>, axis: RiskAxis): boolean {
  return Object.keys(flags).some((flag) => RISK_FLAGS[flag as RiskFlag].axis === axis);
}

function maxScore(before: number, score: number): number {
  return Math.min(SCORE_MAX, Math.max(before, Math.floor(score)));
}

function add(a: number, b: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, a + Math.max(0, Math.floor(b)));
}

/** Returns the name that sorts first: a choice that does not depend on the order. */
function earlierText(a: string, b: string): string {
  if (a === '' || b === '') return a || b;
  return a < b ? a : b;
}

/** Keeps the newest time of each name. Times before `sinceMs` are left out; later ones than `nowMs` are of a wrong clock. */
function mergeSeen<Name extends string>(
  before: LastSeen<Name>,
  more: LastSeen<Name>,
  { sinceMs, nowMs }: { readonly sinceMs: number; readonly nowMs: number },
): LastSeen<Name> {
  const merged: Record<string, number | undefined> = { ...before };
  for (const [name, atMs] of Object.entries<number | undefined>(more)) {
    if (atMs === undefined || atMs <= 0 || atMs < sinceMs) continue;
    merged[name] = Math.max(merged[name] ?? 0, Math.min(atMs, nowMs));
  }
  return merged as LastSeen<Name>;
}

function newest(seen: LastSeen<string>, max: number): LastSeen<string> {
  const entries = Object.entries(seen) as [string, number][];
  if (entries.length <= max) return seen;
  entries.sort(([a, at], [b, bt]) => bt - at || (a < b ? -1 : 1));
  return Object.fromEntries(entries.slice(0, max));
}

function mergeStatuses(
  before: OperationState['statuses'],
  more: OperationDelta['statuses'],
): OperationState['statuses'] {
  const merged = new Map(Object.entries(before));
  for (const [code, count] of Object.entries(more)) {
    const isFull = merged.size >= OPERATION_SET_LIMITS.statuses && !merged.has(code);
    const name = /^\d{1,3}$/.test(code) && !isFull ? code : 'other';
    merged.set(name, add(merged.get(name) ?? 0, count));
  }
  return Object.fromEntries(merged);
}

function mergeSets(before: OperationState['sets'], delta: OperationDelta): OperationState['sets'] {
  return Object.fromEntries(
    OPERATION_SETS.map((name) => [name, unionUpTo(before[name], delta[name], OPERATION_SET_LIMITS[limitOf(name)])]),
  ) as unknown as OperationState['sets'];
}

/** Clients have the limit of services. */
function limitOf(name: OperationSet): Exclude<OperationSet, 'clients'> {
  return name === 'clients' ? 'services' : name;
}

function unionUpTo(before: readonly string[], more: readonly string[], limit: number): readonly string[] {
  if (more.every((value) => value === '' || before.includes(value))) return before;
  const merged = new Set(before);
  for (const value of more) {
    if (merged.size >= limit) break;
    if (value !== '') merged.add(value);
  }
  return [...merged].toSorted();
}

function union<T extends string>(before: readonly T[], more: readonly T[]): readonly T[] {
  if (more.every((value) => before.includes(value))) return before;
  return [...new Set([...before, ...more])].toSorted();
}
