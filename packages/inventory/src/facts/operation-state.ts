import type { EndpointCategory } from '../categories.ts';
import type { LastSeen, ObservedScheme, OperationKey, UrlScheme } from './operation-delta.ts';
import type { RiskFlag } from './risk-flags.ts';

/** Names of the sets of an operation that have a limit. */
export const OPERATION_SETS = [
  'services',
  'clients',
  'listeners',
  'clusters',
  'routes',
  'contentTypes',
  'origins',
  'queryNames',
  'consumers',
] as const;
export type OperationSet = (typeof OPERATION_SETS)[number];

export type LatencyCounts = readonly [number, number, number, number, number, number];

/** Everything that the catalogue knows of an operation. Times are in milliseconds; 0: never. */
export interface OperationState {
  readonly key: OperationKey;
  readonly confirmed: boolean;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly seen: number;
  /** By code; `other` counts codes beyond the limit. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly latencyMaxMs: number;
  readonly latencyClasses: LatencyCounts;
  readonly responseBytesTotal: number;
  readonly responseBytesMax: number;
  readonly requestBytesTotal: number;
  readonly blocked: number;
  readonly threatMax: number;
  readonly exposureMax: number;
  readonly flags: LastSeen<RiskFlag>;
  readonly pii: LastSeen<string>;
  readonly categories: readonly EndpointCategory[];
  readonly schemes: LastSeen<ObservedScheme>;
  readonly authenticatedMs: number;
  readonly anonymousMs: number;
  readonly refusedMs: number;
  /** The newest foreign origins that an answer reflected with credentials. */
  readonly reflectedOrigins: LastSeen<string>;
  readonly protocols: readonly string[];
  /** Missing in states that were stored before it was recorded. */
  readonly urlSchemes?: readonly UrlScheme[];
  readonly grpcService: string;
  readonly grpcMethod: string;
  /** Sorted. Each keeps the values that arrived first. */
  readonly sets: Readonly<Record<OperationSet, readonly string[]>>;
  /** Ids of events, newest last. */
  readonly samples: readonly string[];
  /** Requests before it count no more. 0: never reset. */
  readonly resetMs: number;
  /** Flags, scores and evidence of authentication before it count no more. */
  readonly scoresResetMs: number;
}

const NO_SETS = Object.fromEntries(OPERATION_SETS.map((name) => [name, []])) as unknown as OperationState['sets'];

/** An operation before its first request. */
export function createOperationState(key: OperationKey): OperationState {
  return {
    key,
    confirmed: false,
    firstMs: 0,
    lastMs: 0,
    resetMs: 0,
    ...NO_COUNTS,
    ...NO_RISK,
    pii: {},
    categories: [],
    protocols: [],
    grpcService: '',
    grpcMethod: '',
    sets: NO_SETS,
    samples: [],
  };
}

const NO_COUNTS = {
  seen: 0,
  statuses: {},
  latencyMaxMs: 0,
  latencyClasses: [0, 0, 0, 0, 0, 0],
  responseBytesTotal: 0,
  responseBytesMax: 0,
  requestBytesTotal: 0,
  blocked: 0,
} as const satisfies Partial<OperationState>;

const NO_RISK = {
  threatMax: 0,
  exposureMax: 0,
  flags: {},
  schemes: {},
  authenticatedMs: 0,
  anonymousMs: 0,
  refusedMs: 0,
  reflectedOrigins: {},
  scoresResetMs: 0,
} as const satisfies Partial<OperationState>;

/** Sets that a reset empties; the others name parts of the configuration. */
const RESET_SETS = { consumers: [], queryNames: [], origins: [] } as const;

/** Returns what a reset changes: only the name, the first and last times, the confirmation and the places of an operation stay. `sets` are replaced one by one. */
export function resetPatch(nowMs: number) {
  const patch = {
    ...NO_COUNTS,
    ...NO_RISK,
    pii: {},
    categories: [],
    urlSchemes: [],
    samples: [],
    resetMs: nowMs,
    scoresResetMs: nowMs,
  };
  return { patch, sets: RESET_SETS } as const;
}

/** Returns what a change of the baseline of scores changes: scores, flags and evidence of authentication. Counters and personal data stay. */
export function rebaselinePatch(nowMs: number) {
  return { patch: { ...NO_RISK, scoresResetMs: nowMs }, sets: {} } as const;
}
