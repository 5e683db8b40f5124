import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const auditLogFeature = defineFeature({
  name: 'operations/audit-log',
  migrations: { '0027-audit-log': migration },
  tables: {
    audit_keys: { scope: { open: 'they are public keys that sign checkpoints of all projects' }, backup: true },
    audit_chain: { scope: 'policies', backup: true },
    audit_checkpoints: { scope: 'policies', backup: true },
    audit_bases: { scope: 'policies', backup: true },
    audit_holds: { scope: 'policies', backup: true },
    audit_sinks: {
      scope: { open: 'two rows say how far the forwarding of the whole installation has got' },
      backup: { none: 'they say how far forwarding has got; a restored installation forwards its own entries' },
    },
  },
  jobs: [{ type: 'audit.prune', schedule: { name: 'audit retention', cron: '20 3 * * *' } }],
});
