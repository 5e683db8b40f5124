import { defineFeature } from '../../../platform/features/index.ts';
import { commandContext } from './encryption-context.ts';
import { migration, sealedCommandsMigration } from './migration.ts';
import { forgetOldCommands } from './prune-store.ts';
import './tables.ts';

export const commandsFeature = defineFeature({
  name: 'fleet/commands',
  after: ['platform/keyring', 'configuration/projects'],
  migrations: { '0009-commands': migration, '0053-sealed-commands': sealedCommandsMigration },
  tables: {
    commands: {
      scope: 'policies',
      backup: { withoutSecrets: { payload_sealed: null } },
      encrypted: [
        {
          column: 'payload_sealed',
          kind: 'bytes',
          primaryKey: ['id'],
          context: (row) => commandContext(String(row.id)),
        },
      ],
    },
  },
  tidy: { commands: forgetOldCommands },
});
