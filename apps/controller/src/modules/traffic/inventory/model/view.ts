import {
  INVENTORY_STATUS_CLASSES,
  type InventoryFlag,
  type InventoryOperation,
  type InventoryOperationSummary,
  RISK_ACTIVE_DAYS,
} from '@flotilla/contract';
import {
  type Activity,
  activeSinceMs,
  bandOf,
  deriveActivity,
  OPERATION_SET_LIMITS,
  type OperationState,
  RISK_FLAGS,
  type RiskAxis,
  type RiskFlag,
  SEVERITY_POINTS,
} from '@flotilla/inventory';
import { PII_BITS, PROTOCOL_BITS, SCHEME_BITS } from './bits.ts';
import type { OperationRow } from './row.ts';

/** A stored operation as lists show it. Activity is that of `now`, not that of the last write. */
export function toSummary(row: OperationRow, state: OperationState, now: Date): InventoryOperationSummary {
  const activity = deriveActivity(state, now.getTime(), RISK_ACTIVE_DAYS);
  const isActive = (atMs: number) => atMs >= activeSinceMs(now.getTime(), RISK_ACTIVE_DAYS);
  return {
    id: row.id,
    project: row.project_id,
    method: row.method,
    host: row.host,
    normalized_path: row.path,
    operation: row.operation,
    grpc_service: state.grpcService,
    grpc_method: state.grpcMethod,
    confirmed: row.confirmed,
    other: row.is_other,
    first_seen: row.first_seen.toISOString(),
    last_seen: row.last_seen.toISOString(),
    seen_count: row.seen,
    status_dist: toStatusDist(row.classes),
    error_count: row.classes[4] ?? 0,
    error_rate: row.error_rate,
    latency_max_ms: row.latency_max_ms,
    response_bytes_total: row.response_bytes,
    ...toScores({ risk: row.risk, posture: row.posture_risk }, activity.scores),
    threat_flags: toFlags(state, activity, 'threat'),
    exposure_flags: toFlags(state, activity, 'exposure'),
    pii_categories: PII_BITS.toNames(row.pii).map((category) => {
      const atMs = state.pii[category] ?? 0;
      return { category, last_seen: new Date(atMs).toISOString(), active: isActive(atMs) };
    }),
    endpoint_categories: [...state.categories],
    auth_schemes: SCHEME_BITS.toNames(row.schemes).map((scheme) => {
      const atMs = state.schemes[scheme] ?? 0;
      return { scheme, last_seen: new Date(atMs).toISOString(), active: isActive(atMs) };
    }),
    auth_posture: activity.posture,
    auth_observed: state.authenticatedMs > 0,
    noauth_observed: state.anonymousMs > 0,
    protocols: PROTOCOL_BITS.toNames(row.protocols),
    listeners: [...row.listeners],
  };
}

/** `names`: of the services and clients that the caller may see, by id. */
export function toOperation(
  { row, state }: { readonly row: OperationRow; readonly state: OperationState },
  now: Date,
  names: {
    readonly services: readonly { readonly id: string; readonly name: string | null }[];
    readonly clients: readonly { readonly id: string; readonly name: string | null }[];
  },
): InventoryOperation {
  const [lt5, lt25, lt100, lt500, lt2000, ge2000] = state.latencyClasses;
  const time = (ms: number) => (ms === 0 ? null : new Date(ms).toISOString());
  return {
    ...toSummary(row, state, now),
    status_codes: { ...state.statuses },
    latency_buckets: { lt5, lt25, lt100, lt500, lt2000, ge2000 },
    response_bytes_max: state.responseBytesMax,
    response_bytes_avg: state.seen === 0 ? null : state.responseBytesTotal / state.seen,
    request_bytes_total: state.requestBytesTotal,
    blocked_count: state.blocked,
    authenticated_at: time(state.authenticatedMs),
    anonymous_at: time(state.anonymousMs),
    refused_at: time(state.refusedMs),
    services: [...names.services],
    clients: [...names.clients],
    clusters: [...state.sets.clusters],
    routes: [...state.sets.routes],
    content_types: [...state.sets.contentTypes],
    origins: [...state.sets.origins],
    query_names: [...state.sets.queryNames],
    consumers: [...state.sets.consumers],
    sample_event_ids: [...state.samples],
    full_sets: listFullSets(state),
    reset_at: time(state.resetMs),
    scores_reset_at: time(state.scoresResetMs),
  };
}

interface Axes {
  readonly risk: number;
  readonly posture: number;
}

export function toScores({ risk, posture }: Axes, active: { readonly threat: number; readonly exposure: number }) {
  return {
    max_risk_score: risk,
    max_posture_score: posture,
    risk_band: bandOf(risk),
    posture_band: bandOf(posture),
    active_risk_score: active.threat,
    active_posture_score: active.exposure,
    active_risk_band: bandOf(active.threat),
    active_posture_band: bandOf(active.exposure),
  };
}

export function toStatusDist(classes: readonly number[]): InventoryOperationSummary['status_dist'] {
  return Object.fromEntries(
    INVENTORY_STATUS_CLASSES.map((name, i) => [name, classes[i] ?? 0]),
  ) as InventoryOperationSummary['status_dist'];
}

/** Most severe first. */
export function bySeverity(a: RiskFlag, b: RiskFlag): number {
  const [x, y] = [RISK_FLAGS[a], RISK_FLAGS[b]];
  return SEVERITY_POINTS[y.severity] - SEVERITY_POINTS[x.severity] || x.bit - y.bit;
}

function toFlags(state: OperationState, activity: Activity, axis: RiskAxis): InventoryFlag[] {
  return (Object.keys(state.flags) as RiskFlag[])
    .filter((flag) => RISK_FLAGS[flag]?.axis === axis)
    .toSorted(bySeverity)
    .map((flag) => ({
      flag,
      severity: RISK_FLAGS[flag].severity,
      last_seen: new Date(activity.flags[flag] ?? state.flags[flag] ?? 0).toISOString(),
      active: activity.flags[flag] !== undefined,
    }));
}

function listFullSets(state: OperationState): InventoryOperation['full_sets'] {
  const sizes = { ...sizesOf(state.sets), statuses: Object.keys(state.statuses).length };
  return (Object.keys(OPERATION_SET_LIMITS) as (keyof typeof OPERATION_SET_LIMITS)[]).filter(
    (name) => sizes[name] >= OPERATION_SET_LIMITS[name],
  );
}

function sizesOf(sets: OperationState['sets']): Record<keyof OperationState['sets'], number> {
  return Object.fromEntries(Object.entries(sets).map(([name, values]) => [name, values.length])) as Record<
    keyof OperationState['sets'],
    number
  >;
}
