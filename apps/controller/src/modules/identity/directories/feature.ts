import { LDAP_SETTINGS } from '@flotilla/contract';
import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const directoriesFeature = defineFeature({
  name: 'identity/directories',
  after: ['identity/users'],
  migrations: { '0017-directories': migration },
  listenerRights: { settings: [LDAP_SETTINGS.key] },
  tables: {
    external_identities: { scope: { open: 'they belong to a person, whatever the project' }, backup: true },
  },
  jobs: [{ type: 'directories.recheck', schedule: { name: 'people of the directory', cron: '*/5 * * * *' } }],
});
