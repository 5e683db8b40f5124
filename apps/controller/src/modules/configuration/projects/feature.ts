import { defineFeature } from '../../../platform/features/index.ts';

export const projectsFeature = defineFeature({
  name: 'configuration/projects',
  tables: {
    projects: { scope: 'policies', backup: true },
  },
});
