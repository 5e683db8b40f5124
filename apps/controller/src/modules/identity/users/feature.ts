import { defineFeature } from '../../../platform/features/index.ts';
import { forgetOldInvitations } from './invitation-store.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const usersFeature = defineFeature({
  name: 'identity/users',
  after: ['configuration/projects'],
  migrations: { '0011-users': migration },
  listenerRights: { topics: ['user'] },
  tables: {
    users: {
      scope: { open: 'people belong to no project; memberships say where they work' },
      backup: { withoutSecrets: { password_hash: null } },
    },
    memberships: { scope: 'policies', backup: true },
    invitations: { scope: 'policies', backup: { none: 'an invitation is valid for a week; people are invited again' } },
  },
  tidy: { invitations: forgetOldInvitations },
});
