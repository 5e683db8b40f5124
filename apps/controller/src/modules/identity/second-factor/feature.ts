import { defineFeature } from '../../../platform/features/index.ts';
import { oneTimeSecretContext } from './encryption-context.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const secondFactorFeature = defineFeature({
  name: 'identity/second-factor',
  after: ['platform/keyring', 'identity/users'],
  migrations: { '0022-second-factor': migration },
  tables: {
    otp_enrolments: {
      scope: { open: 'they belong to a person, whatever the project' },
      backup: { isSecret: true },
      encrypted: [
        {
          column: 'sealed_secret',
          kind: 'bytes',
          primaryKey: ['user_id'],
          context: (row) => oneTimeSecretContext(String(row.user_id)),
        },
      ],
    },
    backup_codes: { scope: { open: 'they belong to a person, whatever the project' }, backup: { isSecret: true } },
  },
});
