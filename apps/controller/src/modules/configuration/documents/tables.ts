import type { DocumentFacts } from '@flotilla/contract';
import type { JsonText, Timestamp } from '@flotilla/db';
import type { ColumnType, Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    documents: DocumentsTable;
    document_revisions: DocumentRevisionsTable;
    document_names: DocumentNamesTable;
    document_references: DocumentReferencesTable;
  }
}

export interface PrivateEntry {
  readonly path: string;
  readonly updated_at: string;
}

export interface CommentEntry {
  readonly path: (string | number)[];
  readonly place: 'above' | 'beside' | 'below';
  readonly text: string;
}

interface DocumentContent {
  type: string;
  description: string | null;
  labels: JsonText<Record<string, string>>;
  resource: JsonText<Readonly<Record<string, unknown>>>;
  sealed: Buffer | null;
  private: JsonText<PrivateEntry[]>;
  /** Comments from the YAML in which the document was written. */
  comments: ColumnType<CommentEntry[], string | undefined, string>;
}

export interface DocumentsTable extends DocumentContent {
  id: string;
  project_id: string;
  version: string;
  collection: string;
  name: string;
  revision: Generated<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
  updated_by: string;
  /** Whether `updated_by` had the right to use host access when they wrote this revision. */
  host_access: Generated<boolean>;
  /** The earliest expiry of its certificates, or null. A trigger derives it from the resource. */
  certificate_ends_at: ColumnType<Date | null, never, never>;
  /** Derived from the resource for lists. Null in rows that were written before the column existed. */
  facts: ColumnType<DocumentFacts | null, string | undefined, string>;
}

interface DocumentRevisionsTable extends DocumentContent {
  document_id: string;
  revision: number;
  created_at: Timestamp;
  created_by: string;
}

interface DocumentNamesTable {
  document_id: string;
  project_id: string;
  version: string;
  collection: string;
  name: string;
}

type ReferenceKind = 'name' | 'ref' | 'member' | 'service';

export interface DocumentReferencesTable {
  from_id: string;
  from_collection: string;
  from_name: string;
  project_id: string;
  version: string;
  to_collection: string;
  to_name: string;
  kind: ReferenceKind;
  path: string;
}
