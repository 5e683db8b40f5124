import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const apiDocumentsFeature = defineFeature({
  name: 'traffic/api-documents',
  after: ['configuration/projects'],
  migrations: { '0062-api-documents': migration },
  tables: {
    api_documents: { scope: 'policies', backup: true },
    api_document_versions: { scope: 'policies', backup: true },
    api_document_operations: { scope: 'policies', backup: true },
  },
});
