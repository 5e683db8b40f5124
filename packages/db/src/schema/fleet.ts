import type { ColumnType, Generated } from 'kysely';
import type { NullableTimestamp, Timestamp } from './foundation.ts';

type JsonOf<T> = ColumnType<T, string, string>;
type NullableJson = ColumnType<unknown, string | null | undefined, string | null>;

export interface ClientsTable {
  id: string;
  project_id: string;
  name: string;
  hostname: string;
  os: string;
  arch: string;
  kernel: string;
  agent_version: string;
  provider: string;
  metadata: JsonOf<Record<string, string>>;
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

export interface ClientStatsTable {
  client_id: string;
  at: Timestamp;
  load_percent: number;
  memory_percent: number;
  stats: JsonOf<Record<string, unknown>>;
}

export interface ServicesTable {
  id: string;
  project_id: string;
  name: string;
  version: string;
  bootstrap: string;
  listeners: string[];
  policies: string[];
  shield_threads: number;
  shield_xff_trusted_hops: number;
  created_at: Timestamp;
  updated_at: Timestamp;
  updated_by: string;
  revision: Generated<number>;
}

export interface ServiceRevisionsTable {
  service_id: string;
  revision: number;
  at: Timestamp;
  by_name: string;
  document: JsonOf<Record<string, unknown>>;
}

export interface ServiceTargetsTable {
  service_id: string;
  client_id: string;
  position: number;
  addresses: string[];
  deployed: Generated<boolean>;
  run_state: Generated<'running' | 'stopped'>;
  generation: number;
  envoy_version: string | null;
  content_digest: string | null;
  content_generation: number | null;
  sealed_content: Buffer | null;
}

export interface AdminPortsTable {
  client_id: string;
  port: number;
  service_id: string;
}

export interface NodeStatesTable {
  client_id: string;
  service_id: string;
  report: NullableJson;
  reported_at: NullableTimestamp;
  generation: Generated<number>;
  phase: string | null;
  envoy_version: string | null;
  policy_digest: string | null;
  rollout_state: string | null;
  snapshot_version: string | null;
  resources: NullableJson;
  rollout_at: NullableTimestamp;
}

export type CommandStatus = 'pending' | 'sent' | 'running' | 'done' | 'failed' | 'refused' | 'unknown';

export interface CommandsTable {
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
  payload: JsonOf<Record<string, unknown>>;
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
  /** Null in rows from before there were codes. */
  code: Generated<string | null>;
  active_since: NullableTimestamp;
}

export interface FleetTables {
  clients: ClientsTable;
  client_stats: ClientStatsTable;
  services: ServicesTable;
  service_revisions: ServiceRevisionsTable;
  service_targets: ServiceTargetsTable;
  admin_ports: AdminPortsTable;
  node_states: NodeStatesTable;
  commands: CommandsTable;
  config_errors: ConfigErrorsTable;
}
