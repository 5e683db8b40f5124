import type { CLOUD_DETECTIONS, ClientLabel } from '@flotilla/contract';
import type { DefaultedJson, JsonText, NullableTimestamp, Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    clients: ClientsTable;
    client_stats: ClientStatsTable;
  }
}

export interface StoredFact {
  readonly value: string;
  readonly source: string;
}

/** Empty for a client that was last connected with an older agent. */
export interface StoredFacts {
  readonly cloud?: {
    readonly detection: Exclude<(typeof CLOUD_DETECTIONS)[number], 'unreported'>;
    readonly provider: StoredFact | null;
    readonly server_id: StoredFact | null;
    readonly project: StoredFact | null;
    readonly reason: string | null;
  };
  readonly hypervisor?: StoredFact;
  readonly bgp_source?: string;
  readonly capabilities?: ReadonlyArray<{
    readonly name: string;
    readonly available: boolean;
    readonly detail: string;
  }>;
  /**
   * The addresses for heartbeats of a pair. Kept while the agent reports none, because it is an older one, has not looked yet, or the
   * address is gone for a moment: the configuration of a pair depends on them.
   */
  readonly ha?: {
    /** `prefix` is its network in CIDR notation. */
    readonly data: { readonly address: string; readonly prefix: string };
    readonly mgmt?: { readonly address: string };
  };
}

export type StoredOrigin = Pick<ClientLabel, 'origin' | 'set_at' | 'set_by'>;

interface ClientsTable {
  id: string;
  project_id: string;
  name: string;
  hostname: string;
  os: string;
  arch: string;
  kernel: string;
  agent_version: string;
  provider: string | null;
  metadata: JsonText<Record<string, string>>;
  bgp: boolean | null;
  facts: DefaultedJson<StoredFacts>;
  labels: DefaultedJson<Record<string, string>>;
  /** The origin of each label, by its key. */
  label_origins: DefaultedJson<Record<string, StoredOrigin>>;
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
