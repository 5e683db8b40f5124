import { defineFeature } from '../features/index.ts';

export const databaseFeature = defineFeature({
  name: 'platform/database',
  tables: {
    kysely_migration: {
      scope: { open: 'the application has no rights to it' },
      backup: { none: 'a backup names its migrations and is restored into a database that has them' },
    },
    kysely_migration_lock: {
      scope: { open: 'the application has no rights to it' },
      backup: { none: 'it is held only while migrations run' },
    },
  },
});
