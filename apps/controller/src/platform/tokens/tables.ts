import type { NullableTimestamp, Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    token_secrets: TokenSecretsTable;
  }
}

export interface TokenSecretsTable {
  id: string;
  /** SHA-256 of the secret. */
  hash: Buffer;
  token_kind: 'api' | 'enrolment' | 'discovery' | 'zone';
  token_id: string;
  project_id: string;
  /** The account that received this secret of an API token. It limits what the secret can do. */
  issued_to: string | null;
  /** The first characters of the token, or empty. */
  prefix: string;
  created_at: Timestamp;
  /** Null: expires with its token. */
  expires_at: NullableTimestamp;
  /** The secret of a zone, with which both sides sign. Null for other tokens, which only need the digest. */
  sealed_secret: Buffer | null;
}
