import { type InventoryMethod, type InventoryPosture, RISK_ACTIVE_DAYS } from '@flotilla/contract';
import { deriveActivity, type OperationState, recordActivity } from '@flotilla/inventory';
import { CATEGORY_BITS, FLAG_BITS, PII_BITS, PROTOCOL_BITS, SCHEME_BITS } from './bits.ts';
import { isOtherKey } from './quota.ts';

/** The columns of an operation that follow from its state. */
export interface OperationRow {
  readonly project_id: string;
  readonly id: string;
  readonly confirmed: boolean;
  readonly is_other: boolean;
  readonly method: InventoryMethod;
  readonly host: string;
  readonly path: string;
  readonly operation: string;
  readonly first_seen: Date;
  readonly last_seen: Date;
  readonly seen: number;
  readonly classes: readonly number[];
  readonly error_rate: number;
  readonly latency_max_ms: number;
  readonly response_bytes: number;
  readonly risk: number;
  readonly posture_risk: number;
  readonly active_risk: number;
  readonly active_posture_risk: number;
  readonly active_until: Date | null;
  readonly flags: number;
  readonly active_flags: number;
  readonly pii: number;
  readonly active_pii: number;
  readonly categories: number;
  readonly schemes: number;
  readonly protocols: number;
  readonly auth_posture: InventoryPosture;
  readonly services: readonly string[];
  readonly clients: readonly string[];
  readonly listeners: readonly string[];
}

export interface StoredOperation {
  readonly row: OperationRow;
  readonly state: OperationState;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The stored form of an operation, with what is active at this time. */
export function toStored(
  { projectId, id }: { readonly projectId: string; readonly id: string },
  state: OperationState,
  nowMs: number,
): StoredOperation {
  const activity = deriveActivity(state, nowMs, RISK_ACTIVE_DAYS);
  const kept = recordActivity(state, activity);
  const classes = countClasses(kept.statuses);
  const isOther = isOtherKey(kept.key);
  const row: OperationRow = {
    project_id: projectId,
    id,
    confirmed: kept.confirmed,
    is_other: isOther,
    method: kept.key.method,
    host: kept.key.host,
    path: kept.key.normalizedPath,
    operation: kept.key.operation,
    first_seen: new Date(kept.firstMs),
    last_seen: new Date(kept.lastMs),
    seen: kept.seen,
    classes,
    error_rate: kept.seen === 0 ? 0 : (classes[4] ?? 0) / kept.seen,
    latency_max_ms: kept.latencyMaxMs,
    response_bytes: kept.responseBytesTotal,
    risk: kept.threatMax,
    posture_risk: kept.exposureMax,
    active_risk: activity.scores.threat,
    active_posture_risk: activity.scores.exposure,
    active_until: activity.untilMs === 0 ? null : new Date(activity.untilMs),
    flags: FLAG_BITS.toBits(Object.keys(kept.flags)),
    active_flags: FLAG_BITS.toBits(Object.keys(activity.flags)),
    pii: PII_BITS.toBits(Object.keys(kept.pii)),
    active_pii: PII_BITS.toBits(activity.pii),
    categories: CATEGORY_BITS.toBits(kept.categories),
    schemes: SCHEME_BITS.toBits(Object.keys(kept.schemes)),
    protocols: PROTOCOL_BITS.toBits(kept.protocols),
    auth_posture: activity.posture,
    // Members of restricted projects see an operation through its services: this row belongs to none.
    services: isOther ? [] : kept.sets.services.filter((service) => UUID.test(service)),
    clients: isOther ? [] : kept.sets.clients.filter((client) => UUID.test(client)),
    listeners: isOther ? [] : kept.sets.listeners,
  };
  return { row, state: kept };
}

/** Answers of the classes 1xx to 5xx. */
function countClasses(statuses: OperationState['statuses']): number[] {
  const classes = [0, 0, 0, 0, 0];
  for (const [code, count] of Object.entries(statuses)) {
    const at = Math.floor(Number(code) / 100) - 1;
    if (at in classes) classes[at] = (classes[at] ?? 0) + count;
  }
  return classes;
}
