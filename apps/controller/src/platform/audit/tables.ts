import type { Timestamp } from '@flotilla/db';
import type { ColumnType } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    audit_log: AuditLogTable;
    audit_unsealed: AuditUnsealedTable;
  }
}

interface AuditLogTable {
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

/** Entries that are not in a chain yet, written by a trigger. `project_key` is the project, or all zeros. */
interface AuditUnsealedTable {
  entry_id: string;
  project_key: string;
}
