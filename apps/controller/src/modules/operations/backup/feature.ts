import { defineFeature } from '../../../platform/features/index.ts';

export const backupFeature = defineFeature({
  name: 'operations/backup',
  tables: {
    backups: { scope: 'policies', backup: { none: 'they name files that are stored beside the database' } },
    restores: {
      scope: 'policies',
      backup: {
        none: 'they refer to backups that are stored beside the database; other rows and the audit log hold what they wrote',
      },
    },
  },
  jobs: [{ type: 'backup.export' }, { type: 'backup.scheduled' }, { type: 'backup.restore' }],
});
