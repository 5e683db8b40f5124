import * as z from 'zod';
import { defineFeature } from '../../../platform/features/index.ts';
import { factsMigration } from './facts-migration.ts';
import { migration } from './migration.ts';
import './tables.ts';

const removalSchema = z.object({ project_id: z.string(), client_id: z.string() });

export const clientsFeature = defineFeature({
  name: 'fleet/clients',
  after: ['configuration/projects'],
  migrations: { '0007-clients': migration, '0047-client-facts': factsMigration },
  news: {
    'clients.removed': (payload) => {
      const { data } = removalSchema.safeParse(payload);
      if (!data) return [];
      return [{ project: data.project_id, event: { topic: 'client', client_id: data.client_id, change: 'removed' } }];
    },
  },
  tables: {
    clients: { scope: 'policies', backup: { restored: { connected_to: null } } },
    client_stats: { scope: 'policies', backup: { none: 'they are measured every few seconds' } },
  },
});
