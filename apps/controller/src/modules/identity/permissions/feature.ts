import { defineFeature } from '../../../platform/features/index.ts';

export const permissionsFeature = defineFeature({
  name: 'identity/permissions',
  tables: {
    permissions: { scope: 'policies', backup: true },
  },
});
