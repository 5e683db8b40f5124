import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import { createThreatIntelRoutes } from './routes.ts';
import './tables.ts';

export const threatIntelFeature = defineFeature({
  name: 'security/threat-intel',
  after: ['configuration/projects'],
  migrations: { '0037-threat-intel': migration },
  routes: createThreatIntelRoutes,
  tables: {
    threat_intel: { scope: 'policies', backup: { none: 'it is the state of the feeds, which are uploaded again' } },
    threat_feeds: {
      scope: 'policies',
      backup: { none: 'they are files of others, large and soon out of date; they are uploaded again' },
    },
    threat_entries: { scope: 'policies', backup: { none: 'they belong to the feeds, which are uploaded again' } },
  },
});
