import { type Kysely, sql } from 'kysely';

/** Settings of the installation and of projects, backups. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`select 1`.execute(db);
}
