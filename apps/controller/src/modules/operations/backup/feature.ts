import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const backupFeature = defineFeature({
  name: 'operations/backup',
  after: ['configuration/projects'],
  migrations: { '0028-backup': migration },
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
