import type { ColumnType } from 'kysely';
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

export interface AuditTables {
  audit_log: AuditLogTable;
}
