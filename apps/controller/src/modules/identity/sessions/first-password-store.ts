import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

/** Whether the first owner still has the generated password, and nobody has signed in with the account. */
export async function isFirstPasswordUnused(db: Db): Promise<boolean> {
  const found = await db
    .selectFrom('installation')
    .innerJoin('users', (join) => join.on(sql`users.id::text`, '=', sql`installation.value ->> 'user_id'`))
    .select('users.id')
    .where('installation.name', '=', 'first_owner')
    .whereRef('users.password_changed_at', '<=', 'installation.updated_at')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('sessions')
            .select('sessions.id')
            .whereRef('sessions.user_id', '=', 'users.id')
            .whereRef('sessions.created_at', '>=', 'installation.updated_at'),
        ),
      ),
    )
    .executeTakeFirst();
  return found !== undefined;
}
