import { defineFeature } from '../../../platform/features/index.ts';

export const clientsFeature = defineFeature({
  name: 'fleet/clients',
  tables: {
    clients: { scope: 'policies', backup: { restored: { connected_to: null } } },
    client_stats: { scope: 'policies', backup: { none: 'they are measured every few seconds' } },
  },
});
