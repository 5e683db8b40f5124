import { defineFeature } from '../../../platform/features/index.ts';
import { oneTimeSecretContext } from './encryption-context.ts';

export const secondFactorFeature = defineFeature({
  name: 'identity/second-factor',
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
