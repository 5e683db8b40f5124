import { defineFeature } from '../../../platform/features/index.ts';
import { serviceContentContext } from './encryption-context.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const servicesFeature = defineFeature({
  name: 'fleet/services',
  after: ['platform/keyring', 'fleet/clients'],
  migrations: { '0015-services': migration },
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
