import type { FindingEntry, FindingEvidence, FindingState, InventoryMethod } from '@flotilla/contract';
import type { NullableTimestamp, Timestamp } from '@flotilla/db';
import type { RiskFlag } from '@flotilla/inventory';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    inventory_findings: FindingsTable;
    inventory_finding_history: FindingHistoryTable;
    inventory_finding_passes: FindingPassesTable;
  }
}

interface FindingsTable {
  id: string;
  project_id: string;
  operation_id: string;
  flag: RiskFlag;
  /** 0: critical. */
  rank: number;
  /** The last known name and services of the operation. */
  method: InventoryMethod;
  host: string;
  path: string;
  operation: string;
  services: string[];
  state: FindingState;
  state_since: Timestamp;
  /** Null: the traffic, or the passing of time. */
  state_by: string | null;
  reason: string | null;
  accepted_until: NullableTimestamp;
  /** No foreign key: the pass takes the finding from a member who has left the project. */
  owner_id: string | null;
  first_seen: Timestamp;
  last_seen: Timestamp;
  sightings: number;
  /** The start of the evidence, and the counter of eligible requests at that time. */
  starts_at: Timestamp;
  starts_with: FindingEvidence['starts_with'];
  base: number;
  /** The reset of the operation that `base` belongs to; 1970: none. */
  reset_at: Timestamp;
  /** The longest time between two sightings. */
  widest_gap_s: number;
  /** Counts decisions of people and changes of the state, not sightings. */
  revision: Generated<number>;
}

interface FindingHistoryTable {
  id: string;
  project_id: string;
  finding_id: string;
  at: Timestamp;
  kind: FindingEntry['kind'];
  from_value: string | null;
  to_value: string | null;
  by_name: string | null;
  note: string | null;
}

/** Where the comparison of a project with its catalogue is. */
interface FindingPassesTable {
  project_id: string;
  /** The last compared operation; null: the round has ended. */
  after_id: string | null;
  /** Whether the round compares all operations, or only those with requests since `since`. */
  is_sweep: boolean;
  since: Timestamp;
  started_at: Timestamp;
  compared_at: NullableTimestamp;
  swept_at: NullableTimestamp;
}
