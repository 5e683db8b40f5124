import { defineFeature } from '../../../platform/features/index.ts';

export const groupsFeature = defineFeature({
  name: 'identity/groups',
  tables: {
    groups: { scope: 'policies', backup: true },
    group_members: { scope: 'policies', backup: true },
  },
});
