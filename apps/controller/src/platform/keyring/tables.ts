import type { NullableTimestamp, Timestamp } from '@flotilla/db';
import type { ColumnType } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    installation: InstallationTable;
    data_keys: DataKeysTable;
    master_keys: MasterKeysTable;
    data_key_wraps: DataKeyWrapsTable;
  }
}

interface InstallationTable {
  name: string;
  value: ColumnType<unknown, string, string>;
  updated_at: Timestamp;
}

interface DataKeysTable {
  /** Counts from 1. */
  id: number;
  created_at: Timestamp;
  seals_from: Timestamp;
}

interface MasterKeysTable {
  id: string;
  derivation: ColumnType<unknown, string | null, string | null>;
  created_at: Timestamp;
  /** Null for exactly one key: the current one. */
  expires_at: NullableTimestamp;
  sealed_key: Buffer | null;
  hand_over_until: NullableTimestamp;
}

interface DataKeyWrapsTable {
  key_id: number;
  master_id: string;
  wrapped: Buffer;
}
