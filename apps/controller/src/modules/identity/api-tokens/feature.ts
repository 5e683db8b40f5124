import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const apiTokensFeature = defineFeature({
  name: 'identity/api-tokens',
  after: ['identity/users'],
  migrations: { '0016-api-tokens': migration },
  listenerRights: { topics: ['api_token'] },
  tables: {
    api_tokens: { scope: 'policies', backup: true },
  },
});
