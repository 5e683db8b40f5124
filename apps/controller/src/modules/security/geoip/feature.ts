import { defineFeature } from '../../../platform/features/index.ts';

export const geoipFeature = defineFeature({
  name: 'security/geoip',
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
