import { type Kysely, sql } from 'kysely';

/** What the record of deeds needs to be sealed, searched, held and forwarded. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`select 1`.execute(db);
}
