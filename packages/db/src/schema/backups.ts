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
  /** How trying it out has ended; null where it was not tried. */
  restore_test: NullableJson<RestoreTest>;
}

export interface RestoreTest {
  readonly at: string;
  readonly is_good: boolean;
  /** What it would have created, or why it could not be restored. */
  readonly message: string;
}

/** What was cleaned up and can be brought back. */
export interface CleanedVersionsTable {
  id: string;
  project_id: string;
  version: string;
  mode: 'all' | 'default-only' | 'non-default-only';
  counts: ColumnType<Record<string, number>, string, string>;
  restore_point: string | null;
  cleaned_at: Timestamp;
  cleaned_by: string;
  kept_until: Timestamp;
}

export interface CleanedDocumentsTable {
  clean_up_id: string;
  project_id: string;
  document_id: string;
  collection: string;
  name: string;
  content: ColumnType<Record<string, unknown>, string, string>;
  sealed: Buffer | null;
}

export interface CleanedRevisionsTable {
  document_id: string;
  project_id: string;
  revision: number;
  content: ColumnType<Record<string, unknown>, string, string>;
  sealed: Buffer | null;
}

export interface RestoresTable {
  id: string;
  project_id: string;
  backup_id: string;
  job_id: string | null;
  restore_point: string | null;
  /** The summary of its results. */
  restored: NullableJson<Record<string, unknown>>;
  created_at: Timestamp;
  created_by: string;
  ended_at: NullableTimestamp;
}

export interface BackupTables {
  backups: BackupsTable;
  cleaned_versions: CleanedVersionsTable;
  cleaned_documents: CleanedDocumentsTable;
  cleaned_revisions: CleanedRevisionsTable;
  restores: RestoresTable;
}
