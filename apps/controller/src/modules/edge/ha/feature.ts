import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const haFeature = defineFeature({
  name: 'edge/ha',
  after: ['fleet/clients', 'fleet/services'],
  migrations: { '0055-ha': migration },
  tables: {
    ha_pairs: {
      scope: 'policies',
      backup: { isSecret: true },
      encrypted: [
        {
          column: 'sealed_keys',
          kind: 'bytes',
          primaryKey: ['id'],
          context: (row) => `ha_pairs/${String(row.id)}`,
        },
      ],
    },
    ha_members: { scope: 'policies', backup: true },
    ha_reports: { scope: 'policies', backup: { none: 'the members report again' } },
    ha_role_changes: { scope: 'policies', backup: true },
    ha_terms: { scope: 'policies', backup: true },
    ha_sync: { scope: 'policies', backup: { restored: { command_id: null } } },
  },
});
