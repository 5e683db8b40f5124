import { mergeDelta } from './merge.ts';
import type { OperationDelta } from './operation-delta.ts';
import type { OperationState } from './operation-state.ts';

/**
 * Adds an operation to another one, of which it is a part. Counters are added, and sets are united up to their limits. The result is what the target would
 * have if it had counted the requests of both, as long as neither was reset: a reset of the target hides a part that was silent since then.
 */
export function mergeStates(into: OperationState, part: OperationState, nowMs: number): OperationState {
  return mergeDelta(into, toDelta(part, into), nowMs);
}

function toDelta({ sets, ...part }: OperationState, { key }: OperationState): OperationDelta {
  return {
    key,
    confirmed: part.confirmed,
    seen: part.seen,
    firstMs: part.firstMs,
    lastMs: part.lastMs,
    statuses: part.statuses,
    latencyMaxMs: part.latencyMaxMs,
    latencyClasses: part.latencyClasses,
    responseBytesTotal: part.responseBytesTotal,
    responseBytesMax: part.responseBytesMax,
    requestBytesTotal: part.requestBytesTotal,
    threatMax: part.threatMax,
    exposureMax: part.exposureMax,
    flags: part.flags,
    pii: part.pii as OperationDelta['pii'],
    categories: part.categories,
    schemes: part.schemes,
    authenticatedMs: part.authenticatedMs,
    anonymousMs: part.anonymousMs,
    refusedMs: part.refusedMs,
    blocked: part.blocked,
    protocols: part.protocols,
    urlSchemes: part.urlSchemes ?? [],
    grpcService: part.grpcService,
    grpcMethod: part.grpcMethod,
    reflectedOrigins: part.reflectedOrigins,
    samples: part.samples,
    ...sets,
  };
}
