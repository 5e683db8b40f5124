import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';

/**
 * Blocks notifications to all controllers by cutting their listening connections again and again. A controller notices the gap when it
 * listens again; so that this does not happen all the time, a new connection takes seconds. The returned function stops this.
 */
export async function silenceNews({ owner }: Pick<TestDatabase, 'owner'>): Promise<() => Promise<void>> {
  await sql`create function log_in_slowly() returns event_trigger language plpgsql as
    $$ begin perform pg_sleep(2); end $$`.execute(owner);
  await sql`create event trigger slow on login execute function log_in_slowly()`.execute(owner);
  let isSilent = true;
  const cut = async () => {
    while (isSilent) {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query ilike 'listen %'`.execute(owner);
    }
  };
  const cuts = cut();
  return async () => {
    isSilent = false;
    await cuts;
    await sql`drop event trigger slow`.execute(owner);
    await sql`drop function log_in_slowly()`.execute(owner);
  };
}
