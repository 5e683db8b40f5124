import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import { createServiceTokenRoutes } from './routes.ts';
import { createZoneSecretRoutes } from './zone-routes.ts';
import './tables.ts';

export const serviceTokensFeature = defineFeature({
  name: 'identity/service-tokens',
  after: ['configuration/projects'],
  migrations: { '0023-service-tokens': migration },
  routes: ({ keyring }) => [...createServiceTokenRoutes(), ...createZoneSecretRoutes(keyring)],
  tables: {
    service_tokens: { scope: 'policies', backup: true },
  },
});
