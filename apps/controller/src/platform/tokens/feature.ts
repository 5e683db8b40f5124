import { defineFeature } from '../features/index.ts';
import { tokenSecretContext } from './encryption-context.ts';

export const tokensFeature = defineFeature({
  name: 'platform/tokens',
  tables: {
    token_secrets: {
      scope: 'policies',
      backup: { isSecret: true },
      encrypted: [
        {
          column: 'sealed_secret',
          kind: 'bytes',
          primaryKey: ['id'],
          context: (row) => tokenSecretContext(String(row.id)),
        },
      ],
    },
  },
});
