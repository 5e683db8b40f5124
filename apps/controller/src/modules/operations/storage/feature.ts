import { defineFeature } from '../../../platform/features/index.ts';

export const storageFeature = defineFeature({
  name: 'operations/storage',
  tables: {
    storage_samples: {
      scope: { open: 'they are sizes of the whole database' },
      backup: { none: 'they are measurements of the database that was backed up' },
    },
  },
});
