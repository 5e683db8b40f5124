import type { ApiDocumentFormat, ApiDocumentWarning } from '@flotilla/contract';
import type { JsonText, Timestamp } from '@flotilla/db';
import type { OperationFacts, Server } from './model/document.ts';

declare module '@flotilla/db' {
  interface Tables {
    api_documents: ApiDocumentsTable;
    api_document_versions: ApiDocumentVersionsTable;
    api_document_operations: ApiDocumentOperationsTable;
  }
}

interface ApiDocumentsTable {
  id: string;
  project_id: string;
  name: string;
  /** The name in lowercase. */
  name_key: string;
  /** The highest number that a version ever had. */
  last_number: number;
  /** Null: the document was deleted. */
  current_number: number | null;
  /** Empty: any. */
  listener_name: string;
  /** Null: from the servers of the current version. */
  host_prefixes: string[] | null;
  path_prefixes: string[] | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  updated_by: string;
  revision: number;
}

interface ApiDocumentVersionsTable {
  project_id: string;
  document_id: string;
  number: number;
  format: ApiDocumentFormat;
  title: string;
  document_version: string;
  servers: JsonText<readonly Server[]>;
  /** Names of query parameters with API keys, which every operation may have. */
  key_query: string[];
  warnings: JsonText<readonly ApiDocumentWarning[]>;
  operation_count: number;
  deprecated_count: number;
  file: Buffer;
  sha256: string;
  imported_at: Timestamp;
  imported_by: string;
}

interface ApiDocumentOperationsTable {
  project_id: string;
  document_id: string;
  number: number;
  /** Position in the document. */
  ordinal: number;
  method: string;
  path: string;
  facts: JsonText<OperationFacts>;
}
