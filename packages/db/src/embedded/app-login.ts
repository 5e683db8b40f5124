import type { Logger } from '@flotilla/kit';
import { sql } from 'kysely';
import type pg from 'pg';
import { openDatabase } from '../database.ts';
import { createAppRole } from '../roles.ts';

/** Makes the application's role where it is missing, and a login with the password of the data folder. */
export async function letAppRoleLogIn(superuser: pg.PoolConfig, password: string, logger: Logger): Promise<void> {
  const database = openDatabase(superuser, logger, { maxConnections: 1 });
  try {
    await createAppRole(database.db);
    // Another controller may do the same in this moment, which the server refuses: one at a time.
    await database.db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(7730014)`.execute(tx);
      await sql`alter role flotilla_app login password ${sql.lit(password)}`.execute(tx);
    });
  } finally {
    await database.close();
  }
}
