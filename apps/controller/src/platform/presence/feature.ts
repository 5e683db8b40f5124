import { defineFeature } from '../features/index.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const presenceFeature = defineFeature({
  name: 'platform/presence',
  migrations: { '0033-presence': migration },
  tables: {
    controllers: {
      scope: { open: 'they are processes that serve all projects' },
      backup: { none: 'they are processes that are running' },
    },
    leases: {
      scope: { open: 'controllers hold them for work on all projects' },
      backup: { none: 'controllers that are running hold them' },
    },
  },
});
