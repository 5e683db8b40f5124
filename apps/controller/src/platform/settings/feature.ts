import { defineFeature } from '../features/index.ts';
import { settingContext } from './encryption-context.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const settingsFeature = defineFeature({
  name: 'platform/settings',
  after: ['platform/keyring', 'configuration/projects'],
  migrations: { '0034-settings': migration },
  tables: {
    settings: {
      scope: 'policies',
      backup: { withoutSecrets: { sealed: null, secrets: {} } },
      encrypted: [
        {
          column: 'sealed',
          kind: 'bytes',
          primaryKey: ['id'],
          needs: ['project_id', 'key', 'name'],
          context: (row) =>
            settingContext(row.project_id === null ? null : String(row.project_id), String(row.key), String(row.name)),
        },
      ],
    },
    setting_revisions: { scope: 'policies', backup: true },
  },
});
