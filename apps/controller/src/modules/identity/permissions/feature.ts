import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import { createPermissionRoutes } from './routes.ts';
import './tables.ts';

export const permissionsFeature = defineFeature({
  name: 'identity/permissions',
  after: ['identity/groups'],
  migrations: { '0021-permissions': migration },
  routes: createPermissionRoutes,
  tables: {
    permissions: { scope: 'policies', backup: true },
  },
});
