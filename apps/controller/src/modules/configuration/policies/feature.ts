import { defineFeature } from '../../../platform/features/index.ts';
import { policyFileContext } from './encryption-context.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const policiesFeature = defineFeature({
  name: 'configuration/policies',
  after: ['platform/keyring', 'configuration/projects'],
  migrations: { '0006-policies': migration },
  tables: {
    policies: {
      scope: 'policies',
      backup: true,
      encrypted: [
        {
          column: 'files',
          kind: 'files',
          primaryKey: ['id'],
          context: (row, file) => policyFileContext(String(row.id), file),
        },
      ],
    },
    policy_revisions: {
      scope: 'policies',
      backup: true,
      encrypted: [
        {
          column: 'files',
          kind: 'files',
          primaryKey: ['policy_id', 'revision'],
          context: (row, file) => policyFileContext(String(row.policy_id), file),
        },
      ],
    },
  },
});
