import { type Kysely, sql } from 'kysely';

/**
 * Configuration errors get a code, by which the object to change is found, and the time from which they have been active
 * without a break. Both are null in rows that exist. The index finds the clients of a service that have errors.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table config_errors add column code text;
    alter table config_errors add column active_since timestamptz;
    create index config_errors_failing on config_errors (service_id, client_id)
      where status = 'active' and severity <> 'warning';
  `.execute(db);
}
