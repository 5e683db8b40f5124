import { type Kysely, sql } from 'kysely';

/** Groups, permissions on resources and the secrets of tokens. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`select 1`.execute(db);
}
