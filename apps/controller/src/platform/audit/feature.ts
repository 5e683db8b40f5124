import { defineFeature } from '../features/index.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const auditFeature = defineFeature({
  name: 'platform/audit',
  migrations: { '0026-audit': migration },
  tables: {
    audit_log: { scope: 'policies', backup: true },
    audit_unsealed: { scope: 'policies', backup: true },
  },
});
