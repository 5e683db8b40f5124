import type { ColumnType, Generated } from 'kysely';
import type { Timestamp } from './foundation.ts';

/** A JSON column: parsed on the way out, text on the way in. */
export type JsonText<T> = ColumnType<T, string, string>;
export type JsonRecord = Readonly<Record<string, unknown>>;

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
  resource: JsonText<JsonRecord>;
  sealed: Buffer | null;
  private: JsonText<PrivateEntry[]>;
  /** Of people who wrote the document as YAML. */
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
  /** Whether `updated_by` was allowed to use what reaches the host when they wrote this revision. */
  host_access: Generated<boolean>;
  /** When the first of its certificates ends; null where it holds none. The database derives it from the resource. */
  certificate_ends_at: ColumnType<Date | null, never, never>;
}

export interface DocumentRevisionsTable extends DocumentContent {
  document_id: string;
  revision: number;
  created_at: Timestamp;
  created_by: string;
}

export interface DocumentNamesTable {
  document_id: string;
  project_id: string;
  version: string;
  collection: string;
  name: string;
}

export type ReferenceKind = 'name' | 'ref' | 'member' | 'service';

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

export type StoredPolicyFile = PublicPolicyFile | SealedPolicyFile;

interface PublicPolicyFile {
  readonly path: string;
  readonly content_base64: string;
}

/** A file that the policy names as a secret. */
export interface SealedPolicyFile {
  readonly path: string;
  readonly sealed_base64: string;
  /** Of the content. */
  readonly bytes: number;
  /** When this content was given; ISO 8601. */
  readonly updated_at: string;
}

interface PolicyContent {
  description: string | null;
  text: string;
  files: JsonText<StoredPolicyFile[]>;
  digest: string;
}

export interface PoliciesTable extends PolicyContent {
  id: string;
  project_id: string;
  name: string;
  revision: Generated<number>;
  created_at: Timestamp;
  updated_at: Timestamp;
  updated_by: string;
}

export interface PolicyRevisionsTable extends PolicyContent {
  policy_id: string;
  revision: number;
  created_at: Timestamp;
  created_by: string;
}

export interface DocumentTables {
  documents: DocumentsTable;
  document_revisions: DocumentRevisionsTable;
  document_names: DocumentNamesTable;
  document_references: DocumentReferencesTable;
  policies: PoliciesTable;
  policy_revisions: PolicyRevisionsTable;
}
