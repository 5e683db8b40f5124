import type { Timestamp } from './foundation.ts';

export interface ClientSamplesTable {
  client_id: string;
  minute: Timestamp;
  samples: number;
  cpu_percent: number;
  load1_per_core: number;
  load5_percent: number;
  memory_percent: number;
  memory_used_bytes: number;
  memory_total_bytes: number;
  disk_used_percent: number | null;
  disk_mount: string | null;
  rx_bytes_per_s: number | null;
  tx_bytes_per_s: number | null;
  envoy_cpu_percent: number;
  envoy_rss_bytes: number;
  shield_cpu_percent: number;
  shield_rss_bytes: number;
}

export type ShieldVerdictName = 'allowed' | 'blocked' | 'detected' | 'error';

export interface ShieldCountsTable {
  project_id: string;
  minute: Timestamp;
  service_id: string;
  client_id: string;
  policy: string;
  engine: string;
  reason: string;
  verdict: ShieldVerdictName;
  count: number;
}

export interface ShieldMarksTable {
  client_id: string;
  service_id: string;
  epoch: string;
  policy: string;
  engine: string;
  reason: string;
  verdict: ShieldVerdictName;
  total: number;
  seen_at: Timestamp;
}

/** Bit n of `minutes`: the filter has told of minute n of the hour. */
export interface ShieldReportsTable {
  project_id: string;
  hour: Timestamp;
  service_id: string;
  client_id: string;
  minutes: number | bigint | string;
}

/** `minute`: in which it came out. */
export interface ShieldCountFaultsTable {
  project_id: string;
  minute: Timestamp;
  service_id: string;
  client_id: string;
  policy: string;
  /** Requests of minutes that were not kept: they are in no count. */
  dropped: number;
  /** Requests that are counted in the minute of the controller, because the host's clock cannot be right. */
  clock_off: number;
}

export interface MetricsTables {
  shield_reports: ShieldReportsTable;
  shield_count_faults: ShieldCountFaultsTable;
  client_samples: ClientSamplesTable;
  shield_counts: ShieldCountsTable;
  shield_marks: ShieldMarksTable;
}
