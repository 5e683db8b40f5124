import type { NullableTimestamp, Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    sessions: SessionsTable;
    spent_refresh_tokens: SpentRefreshTokensTable;
    sign_in_attempts: SignInAttemptsTable;
    signing_keys: SigningKeysTable;
  }
}

interface SessionsTable {
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
  /** The first credential of the sign-in. */
  primary_kind: 'password' | 'passkey' | 'ldap' | 'oidc' | null;
  factors: Generated<string[]>;
  last_used_at: NullableTimestamp;
  last_ip: string | null;
  refresh_hash: Buffer | null;
  refresh_sealed: Buffer | null;
}

interface SpentRefreshTokensTable {
  hash: Buffer;
  session_id: string;
  spent_at: Timestamp;
}

interface SignInAttemptsTable {
  key: string;
  account: string | null;
  failures: number;
  last_at: Timestamp;
  blocked_until: Timestamp;
}

interface SigningKeysTable {
  kid: string;
  sealed_secret: Buffer;
  created_at: Timestamp;
  verifies_until: NullableTimestamp;
}
