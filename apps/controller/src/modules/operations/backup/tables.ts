import type { NullableJson, NullableTimestamp, Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    backups: BackupsTable;
    restores: RestoresTable;
  }
}

export interface RestoreTest {
  readonly at: string;
  readonly is_good: boolean;
  /** Summary of what a restore would create, or the reason why it is not possible. */
  readonly message: string;
}

export interface BackupsTable {
  id: string;
  /** Null: a backup of the whole installation. */
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
  /** The result of the last restore test, or null. */
  restore_test: NullableJson<RestoreTest>;
}

export interface RestoresTable {
  id: string;
  project_id: string;
  backup_id: string;
  job_id: string | null;
  restore_point: string | null;
  /** Summary of the results. */
  restored: NullableJson<Record<string, unknown>>;
  created_at: Timestamp;
  created_by: string;
  ended_at: NullableTimestamp;
}
