import type { Generated } from 'kysely';
import type { NullableTimestamp, RoleName, Timestamp } from './foundation.ts';

export interface GroupsTable {
  id: string;
  project_id: string;
  name: string;
  description: string | null;
  /** Of one group at most: who becomes a member of the project is put into it. */
  is_default: Generated<boolean>;
  created_at: Timestamp;
  updated_at: Timestamp;
  revision: Generated<number>;
}

/** Every row stands on a membership of its project and goes with it. */
export interface GroupMembersTable {
  project_id: string;
  group_id: string;
  user_id: string;
  added_at: Timestamp;
}

export interface ApiTokensTable {
  id: string;
  project_id: string;
  name: string;
  description: string | null;
  role: RoleName;
  /** Families of routes that it may call; null: all. */
  families: string[] | null;
  created_by: string | null;
  created_at: Timestamp;
  expires_at: NullableTimestamp;
  last_used_at: NullableTimestamp;
  last_used_ip: string | null;
}

export interface TokenSecretsTable {
  id: string;
  /** SHA-256 of the secret. */
  hash: Buffer;
  token_kind: 'api' | 'enrolment' | 'discovery' | 'zone';
  token_id: string;
  project_id: string;
  /** Of an API token: who was given this secret. It does what they may do, at most. */
  issued_to: string | null;
  /** How the token begins; empty where that was not kept. */
  prefix: string;
  created_at: Timestamp;
  /** Null: it holds as long as its token. */
  expires_at: NullableTimestamp;
  /** Of a zone: the secret itself, which both sides sign with. Null: of all others the digest is enough. */
  sealed_secret: Buffer | null;
}

/** What one member or group may do with a thing, or with all things of a kind, in a project that lists it. */
export interface PermissionsTable {
  id: string;
  project_id: string;
  resource_kind: 'document' | 'policy' | 'service' | 'client';
  /** Null: all of the kind. */
  resource_id: string | null;
  /** Either this or `group_id`. */
  user_id: string | null;
  group_id: string | null;
  level: 'view' | 'use' | 'change';
  /** Name of who gave it; null: it was given to whoever made the thing. */
  granted_by: string | null;
  granted_at: Timestamp;
}

export interface PermissionTables {
  permissions: PermissionsTable;
  groups: GroupsTable;
  group_members: GroupMembersTable;
  api_tokens: ApiTokensTable;
  token_secrets: TokenSecretsTable;
}
