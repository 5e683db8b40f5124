import type { Timestamp } from '@flotilla/db';
import type { ColumnType, GeneratedAlways } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    audit_keys: AuditKeysTable;
    audit_chain: AuditChainTable;
    audit_checkpoints: AuditCheckpointsTable;
    audit_bases: AuditBasesTable;
    audit_holds: AuditHoldsTable;
    audit_sinks: AuditSinksTable;
  }
}

/** Public keys (SPKI, PEM) that verify checkpoints. */
interface AuditKeysTable {
  key_id: string;
  public_key: string;
  created_at: Timestamp;
}

/** One link per sealed entry. `seq` counts from 1 without gaps in each project. */
interface AuditChainTable {
  project_key: string;
  seq: number;
  position: GeneratedAlways<number>;
  entry_id: string;
  entry_hash: Buffer;
  hash: Buffer;
  sealed_at: Timestamp;
}

/** The signed end of a chain at one time. */
interface AuditCheckpointsTable {
  project_key: string;
  seq: number;
  hash: Buffer;
  at: Timestamp;
  key_id: string;
  signature: Buffer;
}

/** The signed start of a chain whose first entries were pruned. */
interface AuditBasesTable {
  project_key: string;
  seq: number;
  hash: Buffer;
  at: Timestamp;
  entries: number;
  key_id: string;
  signature: Buffer;
}

/** Keeps entries from being pruned. Without a project it applies to all entries. */
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

/** The progress of a destination that receives the log, and the controller that sends to it. */
interface AuditSinksTable {
  name: 'syslog' | 'webhook';
  /** Position in `audit_chain`. */
  position: number;
  /** Time of the newest chain head that was sent. */
  heads_at: Timestamp | null;
  delivered_at: Timestamp | null;
  failing_since: Timestamp | null;
  last_error: string | null;
  holder: string | null;
  leased_until: ColumnType<Date, Date | undefined, Date>;
}
