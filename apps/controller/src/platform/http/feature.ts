import { defineFeature } from '../features/index.ts';
import { answerContext, bodyDigestContext } from './encryption-contexts.ts';
import { deleteOldAnswers } from './idempotency-store.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const idempotencyFeature = defineFeature({
  name: 'platform/http',
  after: ['platform/keyring'],
  migrations: { '0031-http': migration },
  tables: {
    idempotency_keys: {
      scope: {
        open: 'they are looked up by caller before the project is known; each answer is encrypted for its caller',
      },
      backup: { none: 'they are answers of one day, each for its caller' },
      encrypted: [
        {
          column: 'body_digest',
          kind: 'bytes',
          primaryKey: ['actor', 'key'],
          context: (row) => bodyDigestContext(String(row.actor), String(row.key)),
        },
        {
          column: 'answer',
          kind: 'bytes',
          primaryKey: ['actor', 'key'],
          context: (row) => answerContext(String(row.actor), String(row.key)),
        },
      ],
    },
  },
  tidy: { answers: deleteOldAnswers },
});
