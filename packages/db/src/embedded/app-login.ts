import type { Logger } from '@flotilla/kit';
import { sql } from 'kysely';
import type pg from 'pg';
import { openDatabase } from '../database.ts';
import { createAppRole } from '../roles.ts';

/** Creates the application's role if it is missing, and lets it log in with the password of the data folder. */
export async function letAppRoleLogIn(superuser: pg.PoolConfig, password: string, logger: Logger): Promise<void> {
  const database = openDatabase(superuser, logger, { maxConnections: 1 });
  try {
    await createAppRole(database.db);
    // The server rejects concurrent changes, which another controller may make at this moment.
    await database.db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(7730014)`.execute(tx);
      await sql`alter role flotilla_app login password ${sql.lit(password)}`.execute(tx);
    });
  } finally {
    await database.close();
  }
}
