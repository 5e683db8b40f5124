import type { ColumnType } from 'kysely';
import type { NullableTimestamp, Timestamp } from './foundation.ts';

type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>;

export interface BackupsTable {
  id: string;
  /** Null: of the whole installation. */
  project_id: string | null;
  origin: 'made' | 'scheduled' | 'restore_point' | 'uploaded';
  status: 'making' | 'ready' | 'failed';
  description: string | null;
  secret_free: boolean;
  protection: 'passphrase' | 'installation' | 'none';
  file: string;
  bytes: number | null;
  sha256: string | null;
  header: NullableJson<Record<string, unknown>>;
  sections: NullableJson<{ name: string; rows: number; bytes: number; sha256: string }[]>;
  created_at: Timestamp;
  created_by: string;
  verified_at: NullableTimestamp;
}

export interface BackupTables {
  backups: BackupsTable;
}
