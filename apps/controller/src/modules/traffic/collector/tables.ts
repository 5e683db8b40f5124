import type { Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    collector_keys: CollectorKeysTable;
    collector_learners: CollectorLearnersTable;
    collector_detectors: CollectorDetectorsTable;
  }
}

/** Keys of the hashes of a project. One of them is current; the others still find events that were stored with them. */
interface CollectorKeysTable {
  id: string;
  project_id: string;
  sealed_key: Buffer;
  created_at: Timestamp;
  retired_at: Timestamp | null;
  retired_until: Timestamp | null;
}

/** The learned paths of a project, compressed. */
interface CollectorLearnersTable {
  project_id: string;
  /** The id of the controller that has learned them. */
  collector: string;
  state: Buffer;
  places: number;
  updated_at: Timestamp;
}

/** The learned states of the detectors of a project, compressed. */
interface CollectorDetectorsTable {
  project_id: string;
  /** The id of the controller whose detectors these are. */
  collector: string;
  state: Buffer;
  /** The last reset that they have followed. */
  last_reset: string;
  updated_at: Timestamp;
}
