import { defineFeature } from '../../../platform/features/index.ts';
import { documentContext } from '../../configuration/public.ts';
import { migration } from './migration.ts';
import { forgetCleaned } from './trash-store.ts';
import './tables.ts';

export const cleanUpFeature = defineFeature({
  name: 'operations/clean-up',
  after: ['platform/keyring', 'configuration/projects'],
  migrations: { '0029-clean-up': migration },
  tables: {
    // The stored JSON contains secrets; without them nothing can be restored from it.
    cleaned_versions: { scope: 'policies', backup: { isSecret: true } },
    cleaned_documents: {
      scope: 'policies',
      backup: { isSecret: true },
      encrypted: [
        {
          column: 'sealed',
          kind: 'bytes',
          primaryKey: ['document_id'],
          context: (row) => documentContext(String(row.document_id)),
        },
      ],
    },
    cleaned_revisions: {
      scope: 'policies',
      backup: { isSecret: true },
      encrypted: [
        {
          column: 'sealed',
          kind: 'bytes',
          primaryKey: ['document_id', 'revision'],
          context: (row) => documentContext(String(row.document_id)),
        },
      ],
    },
  },
  tidy: { cleaned_versions: forgetCleaned },
});
