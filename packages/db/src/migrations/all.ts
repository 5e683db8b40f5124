import type { SqlMigration } from '../define-migration.ts';
import { migration as rowScope } from './0001-row-scope.ts';
import { migration as outbox } from './0002-outbox.ts';

/** The migrations that those of all features need. A migration that has been released never changes. */
export const migrations: Readonly<Record<string, SqlMigration>> = {
  '0001-row-scope': rowScope,
  '0002-outbox': outbox,
};
