import type { NullableTimestamp, Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    config_errors: ConfigErrorsTable;
  }
}

export interface ConfigErrorsTable {
  id: string;
  project_id: string;
  service_id: string;
  client_id: string | null;
  node_id: string;
  source: 'rollout' | 'policy' | 'node' | 'content' | 'translation' | 'filter';
  severity: 'critical' | 'error' | 'warning';
  resource_type: string;
  resource_name: string;
  message: string;
  raw_message: string;
  suggested_fix: string | null;
  status: 'active' | 'resolved';
  first_seen: Timestamp;
  last_seen: Timestamp;
  occurrences: number;
  resolved_at: NullableTimestamp;
  resolved_by: string | null;

  code: Generated<string | null>;
  active_since: NullableTimestamp;
}
