import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const passkeysFeature = defineFeature({
  name: 'identity/passkeys',
  after: ['identity/users'],
  migrations: { '0020-passkeys': migration },
  tables: {
    passkeys: { scope: { open: 'they belong to a person, whatever the project' }, backup: true },
    passkey_questions: {
      scope: { open: 'they are asked of a person who has not signed in yet' },
      backup: { none: 'they are valid for minutes' },
    },
  },
});
