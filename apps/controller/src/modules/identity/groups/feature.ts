import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import { createGroupRoutes } from './routes.ts';
import './tables.ts';

export const groupsFeature = defineFeature({
  name: 'identity/groups',
  after: ['identity/users'],
  migrations: { '0018-groups': migration },
  routes: createGroupRoutes,
  tables: {
    groups: { scope: 'policies', backup: true },
    group_members: { scope: 'policies', backup: true },
  },
});
