import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const agentsFeature = defineFeature({
  name: 'fleet/agents',
  after: ['fleet/clients'],
  migrations: { '0008-agents': migration },
  tables: {
    node_states: { scope: 'policies', backup: true },
  },
});
