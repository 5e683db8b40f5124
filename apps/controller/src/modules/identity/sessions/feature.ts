import { defineFeature } from '../../../platform/features/index.ts';
import { boundAttempts } from './attempt-store.ts';
import { refreshTokenContext, signingKeyContext } from './encryption-contexts.ts';
import { migration } from './migration.ts';
import { forgetOldSessions } from './session-store.ts';
import './tables.ts';

export const sessionsFeature = defineFeature({
  name: 'identity/sessions',
  after: ['platform/keyring', 'identity/users'],
  migrations: { '0024-sessions': migration },
  listenerRights: { topics: ['session'] },
  tables: {
    sessions: {
      scope: { open: 'they belong to a person and are read before a project is known' },
      backup: { none: 'people sign in again' },
      encrypted: [
        {
          column: 'refresh_sealed',
          kind: 'bytes',
          primaryKey: ['id'],
          context: (row) => refreshTokenContext(String(row.id)),
        },
      ],
    },
    spent_refresh_tokens: {
      scope: { open: 'they belong to a session and are read before a project is known' },
      backup: { none: 'people sign in again' },
    },
    sign_in_attempts: {
      scope: { open: 'they count by digests of names, before anybody is known' },
      backup: { none: 'they count the last minutes' },
    },
    signing_keys: {
      scope: { open: 'they sign the tokens of the whole installation' },
      backup: { none: 'sessions end with the restore, so the keys would verify nothing' },
      encrypted: [
        {
          column: 'sealed_secret',
          kind: 'bytes',
          primaryKey: ['kid'],
          context: (row) => signingKeyContext(String(row.kid)),
        },
      ],
    },
  },
  tidy: { sessions: forgetOldSessions, sign_in_attempts: (db) => boundAttempts(db) },
});
