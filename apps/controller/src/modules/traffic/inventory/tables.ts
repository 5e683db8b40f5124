import type { InventoryMethod, InventoryPosture } from '@flotilla/contract';
import type { JsonText, NullableTimestamp, Timestamp } from '@flotilla/db';
import type { OperationState } from '@flotilla/inventory';
import type { Generated, GeneratedAlways } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    inventory_projects: InventoryProjectsTable;
    inventory_operations: InventoryOperationsTable;
    inventory_counts: InventoryCountsTable;
    inventory_details: InventoryDetailsTable;
    inventory_merges: InventoryMergesTable;
    inventory_marks: InventoryMarksTable;
    inventory_gaps: InventoryGapsTable;
    inventory_snapshots: InventorySnapshotsTable;
    inventory_snapshot_operations: InventorySnapshotOperationsTable;
  }
}

/** The lock of a project's operations, and their number without the rows that count all others. */
interface InventoryProjectsTable {
  project_id: string;
  confirmed: Generated<number>;
  attack_surface: Generated<number>;
  /** When people were last notified of changes. */
  announced_at: NullableTimestamp;
  /** The newest daily snapshot. */
  snapshot_at: NullableTimestamp;
}

export interface InventoryOperationsTable {
  project_id: string;
  id: string;
  confirmed: boolean;
  is_other: boolean;
  method: InventoryMethod;
  host: string;
  path: string;
  operation: string;
  first_seen: Timestamp;
  last_seen: Timestamp;
  seen: number;
  /** Answers of the classes 1xx to 5xx. */
  classes: number[];
  error_rate: number;
  latency_max_ms: number;
  response_bytes: number;
  risk: number;
  posture_risk: number;
  active_risk: number;
  active_posture_risk: number;
  /** The `active_*` columns are right until then. Null: nothing is active. */
  active_until: NullableTimestamp;
  /** Sets of bits: see model/bits.ts. */
  flags: number;
  active_flags: number;
  pii: number;
  active_pii: number;
  categories: number;
  schemes: number;
  protocols: number;
  auth_posture: InventoryPosture;
  services: string[];
  clients: string[];
  listeners: string[];
  search: GeneratedAlways<string>;
  /** Coarse forms of columns that traffic changes: they change seldom. */
  seen_slot: GeneratedAlways<number>;
  seen_class: GeneratedAlways<number>;
  error_class: GeneratedAlways<number>;
  /** See model/terms.ts. */
  terms: GeneratedAlways<number[]>;
}

/** Triggers write it. */
interface InventoryCountsTable {
  project_id: string;
  confirmed: boolean;
  is_other: boolean;
  terms: number[];
  listeners: string[];
  risk: number;
  posture_risk: number;
  active_risk: number;
  active_posture_risk: number;
  operations: number;
}

interface InventoryDetailsTable {
  project_id: string;
  operation_id: string;
  state: JsonText<OperationState>;
}

/** Ids of operations that are part of another one since a template has changed. */
interface InventoryMergesTable {
  project_id: string;
  operation_id: string;
  target_id: string;
  merged_at: Timestamp;
}

/** The last stored batch of a sender. */
interface InventoryMarksTable {
  project_id: string;
  client_id: string;
  service_id: string;
  epoch: string;
  sequence: number;
  seen_at: Timestamp;
}

/** Batches that never arrived, by the minute in which the next one did. */
interface InventoryGapsTable {
  project_id: string;
  minute: Timestamp;
  service_id: string;
  client_id: string;
  batches: number;
}

interface InventorySnapshotsTable {
  id: string;
  project_id: string;
  at: Timestamp;
  kind: 'daily' | 'manual';
  taken_by: string;
  operation_count: number;
}

interface InventorySnapshotOperationsTable {
  project_id: string;
  snapshot_id: string;
  operation_id: string;
  method: InventoryMethod;
  host: string;
  path: string;
  operation: string;
  last_seen: Timestamp;
  auth_posture: InventoryPosture;
  schemes: number;
  active_flags: number;
  pii: number;
  active_risk: number;
  /** Status codes of 400 and more. */
  errors: number[];
  services: string[];
}
