import { defineFeature } from '../../../platform/features/index.ts';

export const apiTokensFeature = defineFeature({
  name: 'identity/api-tokens',
  tables: {
    api_tokens: { scope: 'policies', backup: true },
  },
});
