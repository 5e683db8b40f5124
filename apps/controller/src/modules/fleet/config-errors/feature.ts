import { defineFeature } from '../../../platform/features/index.ts';

export const configErrorsFeature = defineFeature({
  name: 'fleet/config-errors',
  tables: {
    config_errors: { scope: 'policies', backup: true },
  },
});
