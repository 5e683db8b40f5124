import { defineFeature } from '../../../platform/features/index.ts';
import { forwarderConfigContext } from './encryption-context.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const logForwardingFeature = defineFeature({
  name: 'fleet/log-forwarding',
  after: ['platform/keyring', 'fleet/clients'],
  migrations: { '0052-log-forwarding': migration },
  tables: {
    forwarder_configs: {
      scope: 'policies',
      backup: { isSecret: true },
      encrypted: [
        {
          column: 'sealed',
          kind: 'bytes',
          primaryKey: ['client_id', 'kind'],
          context: (row) => forwarderConfigContext(String(row.client_id), String(row.kind)),
        },
      ],
    },
  },
});
