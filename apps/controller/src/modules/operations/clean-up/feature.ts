import { defineFeature } from '../../../platform/features/index.ts';
import { documentContext } from '../../configuration/public.ts';
import { forgetCleaned } from './shelf-store.ts';

export const cleanUpFeature = defineFeature({
  name: 'operations/clean-up',
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
