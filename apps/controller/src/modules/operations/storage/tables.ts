import type { Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    storage_samples: StorageSamplesTable;
  }
}

/** The size of the database at one time. */
interface StorageSamplesTable {
  at: Timestamp;
  bytes: number;
}
