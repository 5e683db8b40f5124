import { OIDC_SETTINGS } from '@flotilla/contract';
import { defineFeature } from '../../../platform/features/index.ts';
import { providerGrantContext } from './encryption-contexts.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const oidcFeature = defineFeature({
  name: 'identity/oidc',
  after: ['platform/keyring', 'identity/users'],
  migrations: { '0019-oidc': migration },
  listenerRights: { settings: [OIDC_SETTINGS.key] },
  tables: {
    provider_grants: {
      scope: { open: 'they belong to a person, whatever the project' },
      backup: { none: 'a provider gives them to one installation; people sign in there again' },
      encrypted: [
        {
          column: 'sealed_token',
          kind: 'bytes',
          primaryKey: ['user_id'],
          context: (row) => providerGrantContext(String(row.user_id)),
        },
      ],
    },
    spent_sign_ins: {
      scope: { open: 'they are digests of answers of providers, before anybody is known' },
      backup: { none: 'they are kept for minutes' },
    },
  },
  jobs: [{ type: 'oidc.recheck', schedule: { name: 'people of the providers', cron: '*/5 * * * *' } }],
});
