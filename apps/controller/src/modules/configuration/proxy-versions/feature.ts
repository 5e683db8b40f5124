import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const proxyVersionsFeature = defineFeature({
  name: 'configuration/proxy-versions',
  migrations: { '0049-proxy-descriptors': migration },
  tables: {
    proxy_descriptors: { scope: { open: 'every project uses the same versions of Envoy' }, backup: true },
  },
  jobs: [{ type: 'version.prepare' }],
});
