import type { Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    permissions: PermissionsTable;
  }
}

/** The level of access of a member or group to one resource, or to all of a kind. Used if the project has `listed` access. */
interface PermissionsTable {
  id: string;
  project_id: string;
  resource_kind: 'document' | 'policy' | 'service' | 'client';
  /** Null: all resources of the kind. */
  resource_id: string | null;
  /** Exactly one of this and `group_id` is set. */
  user_id: string | null;
  group_id: string | null;
  level: 'view' | 'use' | 'change';
  /** Name of the account that granted it; null if its creator got it automatically. */
  granted_by: string | null;
  granted_at: Timestamp;
}
