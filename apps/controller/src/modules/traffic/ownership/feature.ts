import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import { createOwnershipRoutes } from './routes.ts';
import './tables.ts';

export const apiOwnersFeature = defineFeature({
  name: 'traffic/ownership',
  after: ['configuration/projects'],
  migrations: { '0063-api-owners': migration },
  routes: createOwnershipRoutes,
  tables: {
    api_owner_rules: { scope: 'policies', backup: true },
    api_owner_overrides: { scope: 'policies', backup: true },
  },
});
