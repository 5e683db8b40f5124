import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const storageFeature = defineFeature({
  name: 'operations/storage',
  migrations: { '0030-storage': migration },
  tables: {
    storage_samples: {
      scope: { open: 'they are sizes of the whole database' },
      backup: { none: 'they are measurements of the database that was backed up' },
    },
  },
});
