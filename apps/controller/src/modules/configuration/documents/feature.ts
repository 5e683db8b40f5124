import { defineFeature } from '../../../platform/features/index.ts';
import { measureCertificates } from './certificate-metrics.ts';
import { documentContext } from './encryption-context.ts';
import { factsMigration } from './facts-migration.ts';
import { migration } from './migration.ts';
import { readDocumentNews } from './news.ts';
import './tables.ts';

export const documentsFeature = defineFeature({
  name: 'configuration/documents',
  after: ['platform/keyring', 'configuration/projects'],
  measure: measureCertificates,
  migrations: { '0005-documents': migration, '0041-document-facts': factsMigration },
  news: { 'documents.changed': readDocumentNews },
  tables: {
    // `private` stays in a backup without secrets: it says which places are empty.
    documents: {
      scope: 'policies',
      backup: { withoutSecrets: { sealed: null } },
      encrypted: [
        { column: 'sealed', kind: 'bytes', primaryKey: ['id'], context: (row) => documentContext(String(row.id)) },
      ],
    },
    document_revisions: {
      scope: 'policies',
      backup: { withoutSecrets: { sealed: null, private: [] } },
      encrypted: [
        {
          column: 'sealed',
          kind: 'bytes',
          primaryKey: ['document_id', 'revision'],
          context: (row) => documentContext(String(row.document_id)),
        },
      ],
    },
    document_names: { scope: 'policies', backup: true },
    document_references: { scope: 'policies', backup: true },
  },
});
