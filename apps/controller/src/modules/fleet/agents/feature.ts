import { defineFeature } from '../../../platform/features/index.ts';

export const agentsFeature = defineFeature({
  name: 'fleet/agents',
  tables: {
    node_states: { scope: 'policies', backup: true },
  },
});
