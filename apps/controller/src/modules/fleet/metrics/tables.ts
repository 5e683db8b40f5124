import type { Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    client_samples: ClientSamplesTable;
    shield_counts: ShieldCountsTable;
    shield_reports: ShieldReportsTable;
    shield_count_faults: ShieldCountFaultsTable;
    shield_marks: ShieldMarksTable;
  }
}

interface ClientSamplesTable {
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

interface ShieldCountsTable {
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

/** Bit n of `minutes` is set if the filter has reported minute n of the hour. */
interface ShieldReportsTable {
  project_id: string;
  hour: Timestamp;
  service_id: string;
  client_id: string;
  minutes: number | bigint | string;
}

/** Requests that could not be counted in their minute. `minute` is when this was noticed. */
interface ShieldCountFaultsTable {
  project_id: string;
  minute: Timestamp;
  service_id: string;
  client_id: string;
  policy: string;
  /** Requests of minutes that were discarded: they are in no count. */
  dropped: number;
  /** Requests that are counted in the controller's current minute, because the clock of the host is wrong. */
  clock_off: number;
}

interface ShieldMarksTable {
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
