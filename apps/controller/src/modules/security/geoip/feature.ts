import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import { createGeoipRoutes } from './routes.ts';
import './tables.ts';

export const geoipFeature = defineFeature({
  name: 'security/geoip',
  after: ['configuration/projects'],
  migrations: { '0035-geoip': migration },
  routes: createGeoipRoutes,
  tables: {
    geoip_databases: {
      scope: 'policies',
      backup: { none: 'they are files of others, large and soon out of date; they are uploaded again' },
    },
    geoip_chunks: {
      scope: 'policies',
      backup: { none: 'they are the contents of the databases, which are uploaded again' },
    },
  },
});
