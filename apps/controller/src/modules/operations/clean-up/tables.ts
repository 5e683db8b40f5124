import type { Timestamp } from '@flotilla/db';
import type { ColumnType } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    cleaned_versions: CleanedVersionsTable;
    cleaned_documents: CleanedDocumentsTable;
    cleaned_revisions: CleanedRevisionsTable;
  }
}

/** A clean-up that can be undone until `kept_until`. */
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

interface CleanedDocumentsTable {
  clean_up_id: string;
  project_id: string;
  document_id: string;
  collection: string;
  name: string;
  content: ColumnType<Record<string, unknown>, string, string>;
  sealed: Buffer | null;
}

interface CleanedRevisionsTable {
  document_id: string;
  project_id: string;
  revision: number;
  content: ColumnType<Record<string, unknown>, string, string>;
  sealed: Buffer | null;
}
