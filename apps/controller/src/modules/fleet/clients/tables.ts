import type { JsonText, NullableTimestamp, Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    clients: ClientsTable;
    client_stats: ClientStatsTable;
  }
}

interface ClientsTable {
  id: string;
  project_id: string;
  name: string;
  hostname: string;
  os: string;
  arch: string;
  kernel: string;
  agent_version: string;
  provider: string;
  metadata: JsonText<Record<string, string>>;
  bgp: Generated<boolean>;
  cores: number;
  memory_bytes: number;
  runtime_dir: string;
  data_dir: string;
  connected_to: string | null;
  connection_epoch: Generated<number>;
  connect_time: NullableTimestamp;
  connect_reason: string | null;
  disconnect_time: NullableTimestamp;
  disconnect_reason: string | null;
  last_seen: NullableTimestamp;
  desired_revision: Generated<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

interface ClientStatsTable {
  client_id: string;
  at: Timestamp;
  load_percent: number;
  memory_percent: number;
  stats: JsonText<Record<string, unknown>>;
}
