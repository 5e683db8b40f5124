import type { ColumnType, GeneratedAlways } from 'kysely';
import type { Timestamp } from './foundation.ts';

export interface AuditLogTable {
  id: string;
  at: Timestamp;
  actor_kind: string;
  actor_id: string | null;
  actor_name: string | null;
  actor_role: string | null;
  project_id: string | null;
  action: string;
  resource_type: string | null;
  resource_id: string | null;
  resource_name: string | null;
  outcome: 'done' | 'denied' | 'failed';
  status: number;
  error_code: string | null;
  method: string | null;
  path: string | null;
  client_ip: string | null;
  user_agent: string | null;
  request_id: string | null;
  changes: ColumnType<unknown, string | null, string | null>;
}

/** Entries that no chain has yet; filled by a trigger. `project_key`: the project, or all zeros where there is none. */
export interface AuditUnsealedTable {
  entry_id: string;
  project_key: string;
}

/** One link for each sealed entry; `seq` counts from 1 without gaps in each project. */
export interface AuditChainTable {
  project_key: string;
  seq: number;
  position: GeneratedAlways<number>;
  entry_id: string;
  entry_hash: Buffer;
  hash: Buffer;
  sealed_at: Timestamp;
}

/** Public keys (SPKI, PEM) of what signs checkpoints. */
export interface AuditKeysTable {
  key_id: string;
  public_key: string;
  created_at: Timestamp;
}

/** The end of a chain at one time, signed. */
export interface AuditCheckpointsTable {
  project_key: string;
  seq: number;
  hash: Buffer;
  at: Timestamp;
  key_id: string;
  signature: Buffer;
}

/** How far a place has got that the record is sent to, and which controller sends. */
export interface AuditSinksTable {
  name: 'syslog' | 'webhook';
  /** Of `audit_chain`. */
  position: number;
  /** Of the newest head that was sent. */
  heads_at: Timestamp | null;
  delivered_at: Timestamp | null;
  failing_since: Timestamp | null;
  last_error: string | null;
  holder: string | null;
  leased_until: ColumnType<Date, Date | undefined, Date>;
}

/** Entries that are not pruned. No project: of all projects, and of what concerns none. */
export interface AuditHoldsTable {
  id: string;
  project_id: string | null;
  from_at: Timestamp | null;
  to_at: Timestamp | null;
  reason: string;
  created_by: string;
  created_at: Timestamp;
  released_by: string | null;
  released_at: Timestamp | null;
}

/** Where a chain begins after its first entries were pruned, signed. */
export interface AuditBasesTable {
  project_key: string;
  seq: number;
  hash: Buffer;
  at: Timestamp;
  entries: number;
  key_id: string;
  signature: Buffer;
}

export interface AuditTables {
  audit_log: AuditLogTable;
  audit_unsealed: AuditUnsealedTable;
  audit_chain: AuditChainTable;
  audit_keys: AuditKeysTable;
  audit_checkpoints: AuditCheckpointsTable;
  audit_sinks: AuditSinksTable;
  audit_holds: AuditHoldsTable;
  audit_bases: AuditBasesTable;
}
