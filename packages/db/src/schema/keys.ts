import type { ColumnType, Generated } from 'kysely';
import type { NullableTimestamp, Timestamp } from './foundation.ts';

export interface DataKeysTable {
  /** From 1; a later one is newer. */
  id: number;
  created_at: Timestamp;
  seals_from: Timestamp;
}

export interface MasterKeysTable {
  id: string;
  derivation: ColumnType<unknown, string | null, string | null>;
  created_at: Timestamp;
  /** Null: the one that is meant to be used; there is one. */
  expires_at: NullableTimestamp;
  sealed_key: Buffer | null;
  hand_over_until: NullableTimestamp;
}

export interface DataKeyWrapsTable {
  key_id: number;
  master_id: string;
  wrapped: Buffer;
}

/** Of a service that reports to the project, or of a zone that it serves. */
export interface ServiceTokensTable {
  id: string;
  project_id: string;
  kind: 'discovery' | 'zone';
  /** Of the zone; empty for discovery. */
  name: Generated<string>;
  created_at: Timestamp;
  created_by: string;
}

export interface KeyTables {
  data_keys: DataKeysTable;
  master_keys: MasterKeysTable;
  data_key_wraps: DataKeyWrapsTable;
  service_tokens: ServiceTokensTable;
}
