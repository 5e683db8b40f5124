import { defineFeature } from '../features/index.ts';

export const auditFeature = defineFeature({
  name: 'platform/audit',
  tables: {
    audit_log: { scope: 'policies', backup: true },
    audit_unsealed: { scope: 'policies', backup: true },
  },
});
