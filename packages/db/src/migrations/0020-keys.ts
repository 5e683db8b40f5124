import { type Kysely, sql } from 'kysely';

/** Keys that secrets are sealed with, so that they can be replaced. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`select 1`.execute(db);
}
