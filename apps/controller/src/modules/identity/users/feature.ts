import { defineFeature } from '../../../platform/features/index.ts';
import { forgetOldInvitations } from './invitation-store.ts';

export const usersFeature = defineFeature({
  name: 'identity/users',
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
