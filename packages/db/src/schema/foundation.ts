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
  /** Null: signs in in a directory or at a provider. */
  password_hash: string | null;
  password_changed_at: Timestamp;
  must_change_password: Generated<boolean>;
  /** Whose admins have authority over the account; null: the installation's owners alone. */
  home_project: Generated<string | null>;
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
  /** open: members reach all of it; listed: editors and viewers reach what permissions name. */
  resource_access: Generated<'open' | 'listed'>;
}

export interface MembershipsTable {
  project_id: string;
  user_id: string;
  role: RoleName;
  created_at: Timestamp;
  /** The realm whose groups gave the role; null: a person did. */
  given_by: Generated<string | null>;
}

export interface InvitationsTable {
  id: string;
  project_id: string;
  /** As the inviter wrote it. */
  username: string;
  /** The account that had the name when the invitation was made; null: none had. No foreign key, see migration 0041. */
  user_id: string | null;
  role: RoleName;
  invited_by: string;
  created_at: Timestamp;
  expires_at: Timestamp;
  /** Set: the account is not shown it any more. The project is not told. */
  declined_at: NullableTimestamp;
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
  invitations: InvitationsTable;
  idempotency_keys: IdempotencyKeysTable;
  outbox: OutboxTable;
}
