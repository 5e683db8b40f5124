import type { JsonText, Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    policies: PoliciesTable;
    policy_revisions: PolicyRevisionsTable;
  }
}

interface PublicPolicyFile {
  readonly path: string;
  readonly content_base64: string;
}

/** A file that the policy marks as secret. */
export interface EncryptedPolicyFile {
  readonly path: string;
  readonly sealed_base64: string;
  /** Size of the content. */
  readonly bytes: number;
  /** When this content was uploaded; ISO 8601. */
  readonly updated_at: string;
}

export type StoredPolicyFile = PublicPolicyFile | EncryptedPolicyFile;

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

interface PolicyRevisionsTable extends PolicyContent {
  policy_id: string;
  revision: number;
  created_at: Timestamp;
  created_by: string;
}
