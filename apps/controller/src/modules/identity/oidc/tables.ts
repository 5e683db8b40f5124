import type { NullableTimestamp, Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    provider_grants: ProviderGrantsTable;
    spent_sign_ins: SpentSignInsTable;
  }
}

interface ProviderGrantsTable {
  user_id: string;
  id: string;
  issuer: string;
  client_id: string;
  sealed_token: Buffer;
  granted_at: Timestamp;
  /** Start of a check with the provider that has had no trustworthy answer yet; null if none is open. */
  asked_at: NullableTimestamp;
}

interface SpentSignInsTable {
  hash: Buffer;
  expires_at: Timestamp;
}
