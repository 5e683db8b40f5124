import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import { createConfigErrorRoutes } from './routes.ts';
import './tables.ts';

export const configErrorsFeature = defineFeature({
  name: 'fleet/config-errors',
  after: ['configuration/projects'],
  migrations: { '0010-config-errors': migration },
  routes: createConfigErrorRoutes,
  tables: {
    config_errors: { scope: 'policies', backup: true },
  },
});
