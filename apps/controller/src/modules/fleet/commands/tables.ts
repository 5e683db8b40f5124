import type { JsonText, NullableJson, NullableTimestamp, Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    commands: CommandsTable;
  }
}

export type CommandStatus = 'pending' | 'sent' | 'running' | 'done' | 'failed' | 'refused' | 'unknown';

interface CommandsTable {
  id: string;
  project_id: string;
  client_id: string;
  client_name: string;
  service_id: string | null;
  type: string;
  sub_type: string;
  operation: string;
  kind: Generated<'query' | 'action' | 'desired'>;
  fence: number;
  generation: number | null;
  payload: JsonText<Record<string, unknown>>;
  /** The encrypted payload of a command whose body may contain a secret. */
  payload_sealed: Buffer | null;
  status: CommandStatus;
  error_code: string | null;
  error_message: string | null;
  result: NullableJson;
  step: string | null;
  timeout_ms: number;
  created_by: string;
  created_at: Timestamp;
  sent_at: NullableTimestamp;
  deadline_at: NullableTimestamp;
  finished_at: NullableTimestamp;
}
