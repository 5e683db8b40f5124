import type { Timestamp } from '@flotilla/db';
import type { Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    groups: GroupsTable;
    group_members: GroupMembersTable;
  }
}

interface GroupsTable {
  id: string;
  project_id: string;
  name: string;
  description: string | null;
  /** At most one group of a project: new members of the project join it. */
  is_default: Generated<boolean>;
  created_at: Timestamp;
  updated_at: Timestamp;
  revision: Generated<number>;
}

/** Each row needs a membership in its project, and is deleted with it. */
interface GroupMembersTable {
  project_id: string;
  group_id: string;
  user_id: string;
  added_at: Timestamp;
}
