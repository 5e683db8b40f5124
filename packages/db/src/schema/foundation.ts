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

export interface IdempotencyKeysTable {
  actor: string;
  key: string;
  route: string;
  body_digest: Buffer;
  answer: Buffer;
  created_at: Timestamp;
}

export interface OutboxTable {
  seq: Generated<number>;
  topic: string;
  payload: ColumnType<unknown, string, never>;
  at: Timestamp;
}

export interface FoundationTables {
  users: UsersTable;
  projects: ProjectsTable;
  memberships: MembershipsTable;
  idempotency_keys: IdempotencyKeysTable;
  outbox: OutboxTable;
}
