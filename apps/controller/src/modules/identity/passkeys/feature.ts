import { defineFeature } from '../../../platform/features/index.ts';

export const passkeysFeature = defineFeature({
  name: 'identity/passkeys',
  tables: {
    passkeys: { scope: { open: 'they belong to a person, whatever the project' }, backup: true },
    passkey_questions: {
      scope: { open: 'they are asked of a person who has not signed in yet' },
      backup: { none: 'they are valid for minutes' },
    },
  },
});
