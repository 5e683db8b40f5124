import * as z from 'zod';
import { defineFeature } from '../features/index.ts';
import { settingContext } from './encryption-context.ts';
import { migration } from './migration.ts';
import './tables.ts';

const changeSchema = z.object({ key: z.string(), name: z.string(), project: z.string().nullable() });

export const settingsFeature = defineFeature({
  name: 'platform/settings',
  after: ['platform/keyring', 'configuration/projects'],
  migrations: { '0034-settings': migration },
  news: {
    'setting.changed': (payload) => {
      const { data } = changeSchema.safeParse(payload);
      return data ? [{ project: data.project, event: { topic: 'setting', key: data.key, name: data.name } }] : [];
    },
  },
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
