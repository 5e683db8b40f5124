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
}

export interface SignInAttemptsTable {
  key: string;
  failures: number;
  last_at: Timestamp;
  blocked_until: Timestamp;
}

export interface SessionTables {
  sessions: SessionsTable;
  sign_in_attempts: SignInAttemptsTable;
}
