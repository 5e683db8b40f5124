import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const projectsFeature = defineFeature({
  name: 'configuration/projects',
  migrations: { '0004-projects': migration },
  listenerRights: { topics: ['project'] },
  tables: {
    projects: { scope: 'policies', backup: true },
  },
});
