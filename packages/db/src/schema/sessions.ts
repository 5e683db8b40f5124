import type { Generated } from 'kysely';
import type { NullableTimestamp, Timestamp } from './foundation.ts';

export interface SessionsTable {
  id: string;
  user_id: string;
  created_at: Timestamp;
  expires_at: Timestamp;
  ended_at: NullableTimestamp;
  end_reason: string | null;
  ip: string | null;
  user_agent: string | null;
  kind: 'bearer' | 'browser';
  device: string;
  /** What was shown first. */
  primary_kind: 'password' | 'passkey' | 'ldap' | 'oidc' | null;
  factors: Generated<string[]>;
  last_used_at: NullableTimestamp;
  last_ip: string | null;
  refresh_hash: Buffer | null;
  refresh_sealed: Buffer | null;
}

export interface SpentRefreshTokensTable {
  hash: Buffer;
  session_id: string;
  spent_at: Timestamp;
}

export interface SigningKeysTable {
  kid: string;
  sealed_secret: Buffer;
  created_at: Timestamp;
  verifies_until: NullableTimestamp;
}

export interface SignInAttemptsTable {
  key: string;
  account: string | null;
  failures: number;
  last_at: Timestamp;
  blocked_until: Timestamp;
}

export interface SessionTables {
  sessions: SessionsTable;
  sign_in_attempts: SignInAttemptsTable;
  signing_keys: SigningKeysTable;
  spent_refresh_tokens: SpentRefreshTokensTable;
}
