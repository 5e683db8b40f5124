import type { Buffer } from 'node:buffer';
import { defineFeature } from '../../../platform/features/index.ts';
import { challengeContext } from './encryption-context.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const signInFeature = defineFeature({
  name: 'identity/sign-in',
  after: ['platform/keyring', 'identity/users'],
  migrations: { '0025-sign-in': migration },
  tables: {
    sign_in_challenges: {
      scope: { open: 'they belong to a person who has not signed in yet' },
      backup: { none: 'they are sign-ins that wait for a code' },
      encrypted: [
        {
          column: 'sealed_set_up',
          kind: 'bytes',
          primaryKey: ['id_hash'],
          context: (row) => challengeContext(row.id_hash as Buffer),
        },
      ],
    },
  },
});
