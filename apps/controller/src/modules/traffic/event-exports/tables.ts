import type { EventExportSelection, ShownEventExportTarget } from '@flotilla/contract';
import type { JsonText, NullableTimestamp, Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    event_export_heads: { project_id: string; position: Generated<number>; total: Generated<number> };
    event_arrivals: EventArrivalsTable;
    event_exports: EventExportsTable;
  }
}

interface EventArrivalsTable {
  project_id: string;
  position: number;
  kind: 'requests' | 'findings';
  events: number;
  /** Events of all arrivals up to this one. */
  total: number;
  parts: JsonText<Record<string, unknown>>;
  arrived_at: Timestamp;
}

interface EventExportsTable {
  id: string;
  project_id: string;
  name: string;
  enabled: boolean;
  /** Without the secret. */
  target: JsonText<ShownEventExportTarget>;
  selection: JsonText<EventExportSelection>;
  sealed: Buffer | null;
  secret_updated_at: NullableTimestamp;
  position: number;
  /** Part of the next arrival was looked at, up to here. */
  cursor: string | null;
  total: number;
  total_at_start: number;
  sent_events: Generated<number>;
  lost_events: Generated<number>;
  lost_at: NullableTimestamp;
  delivered_at: NullableTimestamp;
  failing_since: NullableTimestamp;
  /** Failed attempts in a row. */
  failures: Generated<number>;
  retry_at: NullableTimestamp;
  last_error: string | null;
  holder: string | null;
  leased_until: NullableTimestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
  updated_by: string;
  revision: Generated<number>;
}
