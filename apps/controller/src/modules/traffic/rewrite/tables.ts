import type { PathRenaming } from '@flotilla/contract';
import type { JsonText, NullableTimestamp, Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    inventory_rewrites: InventoryRewritesTable;
  }
}

/** One run of the job that names stored operations again. */
interface InventoryRewritesTable {
  job_id: string;
  project_id: string;
  job_number: number;
  /** False: a dry run. */
  applies: boolean;
  started_at: Timestamp;
  ended_at: NullableTimestamp;
  /** The id of the last operation that was looked at: a run that was interrupted continues behind it. */
  position: string;
  scanned: number;
  moved: number;
  merged: number;
  split: number;
  /** Some of the changes. */
  renamings: JsonText<PathRenaming[]>;
}
