import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface SqlMigration extends Migration {
  readonly text: string;
}

/** A migration of one or more SQL statements. */
export function defineMigration(text: string): SqlMigration {
  return {
    text,
    up: async (db) => {
      await sql.raw(text).execute(db);
    },
  };
}
