import { defineFeature } from '../../../platform/features/index.ts';
import { forgetOldCommands } from './prune-store.ts';

export const commandsFeature = defineFeature({
  name: 'fleet/commands',
  tables: {
    commands: { scope: 'policies', backup: true },
  },
  tidy: { commands: forgetOldCommands },
});
