import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import { forgetOldCommands } from './prune-store.ts';
import './tables.ts';

export const commandsFeature = defineFeature({
  name: 'fleet/commands',
  after: ['configuration/projects'],
  migrations: { '0009-commands': migration },
  tables: {
    commands: { scope: 'policies', backup: true },
  },
  tidy: { commands: forgetOldCommands },
});
