import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const commandRolloutsFeature = defineFeature({
  name: 'fleet/command-rollouts',
  after: ['platform/jobs', 'fleet/commands'],
  migrations: { '0049-command-rollouts': migration },
  tables: {
    command_rollout_targets: { scope: 'policies', backup: { none: 'they belong to jobs' } },
  },
  jobs: [{ type: 'commands.rollout' }],
});
