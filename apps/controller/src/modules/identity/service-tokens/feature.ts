import { defineFeature } from '../../../platform/features/index.ts';

export const serviceTokensFeature = defineFeature({
  name: 'identity/service-tokens',
  tables: {
    service_tokens: { scope: 'policies', backup: true },
  },
});
