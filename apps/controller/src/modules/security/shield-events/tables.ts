import type { Timestamp } from '@flotilla/db';
import type { GeneratedAlways } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    shield_events: ShieldEventsTable;
    shield_event_drops: ShieldEventDropsTable;
    shield_event_marks: ShieldEventMarksTable;
  }
}

export interface ShieldEventsTable {
  id: string;
  project_id: string;
  time: Timestamp;
  service_id: string;
  client_id: string;
  request_id: string;
  method: string;
  host: string;
  path: string;
  policy: string;
  route: string;
  engine: string;
  reason: string;
  severity: 'info' | 'low' | 'medium' | 'high' | 'critical';
  verdict: 'blocked' | 'detected' | 'error';
  status: number;
  subject: string;
  source_ip: string | null;
  digest: string;
  detail: string;
  search: GeneratedAlways<string>;
}

/** Events that the filter did not report, by minute (`time`). */
interface ShieldEventDropsTable {
  project_id: string;
  service_id: string;
  client_id: string;
  time: Timestamp;
  count: number;
}

interface ShieldEventMarksTable {
  client_id: string;
  service_id: string;
  epoch: string;
  seq: number;
  seen_at: Timestamp;
}
