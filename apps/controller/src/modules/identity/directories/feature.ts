import { defineFeature } from '../../../platform/features/index.ts';

export const directoriesFeature = defineFeature({
  name: 'identity/directories',
  tables: {
    external_identities: { scope: { open: 'they belong to a person, whatever the project' }, backup: true },
  },
  jobs: [{ type: 'directories.recheck', schedule: { name: 'people of the directory', cron: '*/5 * * * *' } }],
});
