import { defineFeature } from '../features/index.ts';
import { tokenSecretContext } from './encryption-context.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const tokensFeature = defineFeature({
  name: 'platform/tokens',
  after: ['platform/keyring', 'identity/users'],
  migrations: { '0012-tokens': migration },
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
