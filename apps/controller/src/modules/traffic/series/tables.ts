import type { Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    traffic_intervals: TrafficIntervalsTable;
    traffic_blocks: TrafficBlocksTable;
    traffic_minutes: TrafficMinutesTable;
    traffic_nodes: TrafficNodesTable;
    traffic_marks: TrafficMarksTable;
  }
}

interface Node {
  project_id: string;
  service_id: string;
  client_id: string;
}

/** One reported interval. Ids of a node grow in the order in which its rows are committed. */
interface TrafficIntervalsTable extends Node {
  id: number;
  epoch: string;
  seq: number;
  /** In the time of the controller. */
  from_at: Timestamp;
  until_at: Timestamp;
  received_at: Timestamp;
  /** Blocks of one step: sums over the names of each scope, and the names. */
  totals: Buffer;
  names: Buffer;
}

/** An hour of minutes, or a week of hours. */
interface TrafficBlocksTable extends Node {
  step_s: number;
  start_at: Timestamp;
  totals: Buffer;
  names: Buffer;
  /** A block of minutes has changed since its hour was stored. */
  is_changed: boolean;
}

interface TrafficMinutesTable extends Node {
  minute: Timestamp;
  requests: number;
  errors: number;
  covered_ms: number;
}

/** The newest report of a node, and how far its intervals are in blocks. */
interface TrafficNodesTable extends Node {
  first_at: Timestamp;
  reported_at: Timestamp;
  received_at: Timestamp;
  clock_offset_ms: number;
  problems: unknown;
  problems_omitted: number;
  names_omitted: number;
  reasons: unknown;
  newest_id: number;
  rolled_to: number;
}

/** The last number of deleted intervals of a run. */
interface TrafficMarksTable {
  client_id: string;
  service_id: string;
  epoch: string;
  seq: number;
  seen_at: Timestamp;
}
