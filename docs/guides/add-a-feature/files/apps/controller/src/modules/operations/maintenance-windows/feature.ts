import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import { createMaintenanceWindowRoutes } from './routes.ts';
import './tables.ts';

export const maintenanceWindowsFeature = defineFeature({
  name: 'operations/maintenance-windows',
  after: ['configuration/projects'],
  routes: createMaintenanceWindowRoutes,
  migrations: { '0047-maintenance-windows': migration },
  tables: { maintenance_windows: { scope: 'policies', backup: true } },
});
