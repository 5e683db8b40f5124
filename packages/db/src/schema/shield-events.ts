import type { GeneratedAlways } from 'kysely';
import type { Timestamp } from './foundation.ts';

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

export interface ShieldEventMarksTable {
  client_id: string;
  service_id: string;
  epoch: string;
  seq: number;
  seen_at: Timestamp;
}

/** Findings that were not told. `time`: the minute. */
export interface ShieldEventDropsTable {
  project_id: string;
  service_id: string;
  client_id: string;
  time: Timestamp;
  count: number;
}

export interface ShieldEventTables {
  shield_events: ShieldEventsTable;
  shield_event_marks: ShieldEventMarksTable;
  shield_event_drops: ShieldEventDropsTable;
}
