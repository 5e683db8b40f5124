import { type Kysely, sql } from 'kysely';

/**
 * Jobs with fewer indexes. The end of a lease was part of one, so that whoever renewed a lease or wrote in it wrote into every
 * index of the table; running jobs are few, and found by being that. Nothing could read by status: what is shown as waiting
 * is derived.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    drop index jobs_leased;
    drop index jobs_by_status;
    create index jobs_running on jobs (leased_by) where status = 'running';
  `.execute(db);
}
