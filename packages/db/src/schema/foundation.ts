import type { ColumnType, Generated, JSONColumnType } from 'kysely';

export type Timestamp = ColumnType<Date, Date | string, Date | string>;
export type NullableTimestamp = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
export type Json = JSONColumnType<Record<string, unknown>>;
export type RoleName = 'owner' | 'admin' | 'editor' | 'viewer';

export interface UsersTable {
  id: string;
  username: string;
  email: string | null;
  is_owner: Generated<boolean>;
  active: Generated<boolean>;
  password_hash: string;
  password_changed_at: Timestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
  revision: Generated<number>;
}

export interface ProjectsTable {
  id: string;
  name: string;
  description: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  revision: Generated<number>;
}

export interface MembershipsTable {
  project_id: string;
  user_id: string;
  role: RoleName;
  created_at: Timestamp;
}

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

export interface ApiTokensTable {
  id: string;
  project_id: string;
  name: string;
  role: RoleName;
  /** First characters of the token, by which people tell theirs apart. */
  prefix: string;
  token_hash: Buffer;
  created_by: string | null;
  created_at: Timestamp;
  expires_at: NullableTimestamp;
  last_used_at: NullableTimestamp;
}

export interface AuditLogTable {
  id: string;
  at: Timestamp;
  actor_kind: string;
  actor_id: string | null;
  actor_name: string | null;
  actor_role: string | null;
  project_id: string | null;
  action: string;
  resource_type: string | null;
  resource_id: string | null;
  resource_name: string | null;
  outcome: 'done' | 'denied' | 'failed';
  status: number;
  error_code: string | null;
  method: string | null;
  path: string | null;
  client_ip: string | null;
  user_agent: string | null;
  request_id: string | null;
  changes: ColumnType<unknown, string | null, string | null>;
}

export interface IdempotencyKeysTable {
  actor: string;
  key: string;
  route: string;
  body_digest: Buffer;
  answer: Buffer;
  created_at: Timestamp;
}

export interface SignInAttemptsTable {
  key: string;
  failures: number;
  last_at: Timestamp;
  blocked_until: Timestamp;
}

export interface OutboxTable {
  seq: Generated<number>;
  topic: string;
  payload: ColumnType<unknown, string, never>;
  at: Timestamp;
}

export interface InstallationTable {
  name: string;
  value: ColumnType<unknown, string, string>;
  updated_at: Timestamp;
}

export interface FoundationTables {
  users: UsersTable;
  projects: ProjectsTable;
  memberships: MembershipsTable;
  sessions: SessionsTable;
  api_tokens: ApiTokensTable;
  audit_log: AuditLogTable;
  idempotency_keys: IdempotencyKeysTable;
  sign_in_attempts: SignInAttemptsTable;
  outbox: OutboxTable;
  installation: InstallationTable;
}
