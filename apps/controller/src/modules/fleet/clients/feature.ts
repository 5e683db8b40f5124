import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const clientsFeature = defineFeature({
  name: 'fleet/clients',
  after: ['configuration/projects'],
  migrations: { '0007-clients': migration },
  tables: {
    clients: { scope: 'policies', backup: { restored: { connected_to: null } } },
    client_stats: { scope: 'policies', backup: { none: 'they are measured every few seconds' } },
  },
});
