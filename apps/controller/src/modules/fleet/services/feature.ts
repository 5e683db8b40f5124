import * as z from 'zod';
import { defineFeature } from '../../../platform/features/index.ts';
import { apiDiscoveryMigration } from './api-discovery-migration.ts';
import { drainTimeMigration } from './drain-time-migration.ts';
import { serviceContentContext } from './encryption-context.ts';
import { migration } from './migration.ts';
import './tables.ts';

const changeSchema = z.object({ project_id: z.string(), service_id: z.string() });

export const servicesFeature = defineFeature({
  name: 'fleet/services',
  after: ['platform/keyring', 'fleet/clients'],
  migrations: {
    '0015-services': migration,
    '0054-drain-time': drainTimeMigration,
    '0058-api-discovery': apiDiscoveryMigration,
  },
  news: {
    'services.changed': (payload) => {
      const { data } = changeSchema.safeParse(payload);
      return data ? [{ project: data.project_id, event: { topic: 'service', service_id: data.service_id } }] : [];
    },
  },
  tables: {
    services: { scope: 'policies', backup: true },
    service_revisions: { scope: 'policies', backup: true },
    service_targets: {
      scope: 'policies',
      backup: {
        withoutSecrets: { sealed_content: null, content_digest: null, content_generation: null },
      },
      encrypted: [
        {
          column: 'sealed_content',
          kind: 'bytes',
          primaryKey: ['service_id', 'client_id'],
          context: (row) => serviceContentContext(String(row.service_id), String(row.client_id)),
        },
      ],
    },
    admin_ports: { scope: 'policies', backup: true },
  },
});
