import type { Role } from '@flotilla/contract';
import type { NullableTimestamp, Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    users: UsersTable;
    memberships: MembershipsTable;
    invitations: InvitationsTable;
  }
}

interface UsersTable {
  id: string;
  username: string;
  email: string | null;
  is_owner: Generated<boolean>;
  active: Generated<boolean>;
  /** Null if the account signs in through a directory or a provider. */
  password_hash: string | null;
  password_changed_at: Timestamp;
  must_change_password: Generated<boolean>;
  /** The project whose admins manage the account; null: only owners of the installation do. */
  home_project: Generated<string | null>;
  created_at: Timestamp;
  updated_at: Timestamp;
  revision: Generated<number>;
}

interface MembershipsTable {
  project_id: string;
  user_id: string;
  role: Role;
  created_at: Timestamp;
  /** The realm whose groups gave the role; null if a person gave it. */
  given_by: Generated<string | null>;
}

interface InvitationsTable {
  id: string;
  project_id: string;
  /** As the inviter typed it. */
  username: string;
  /** The account that had this name when the invitation was created, or null. No foreign key: the invitation outlives the account. */
  user_id: string | null;
  role: Role;
  invited_by: string;
  created_at: Timestamp;
  expires_at: Timestamp;
  /** If set, the account no longer sees the invitation. The project does not learn this. */
  declined_at: NullableTimestamp;
}
