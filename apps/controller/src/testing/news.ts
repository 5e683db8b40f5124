import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';

/**
 * Blocks notifications to all controllers by cutting their listening connections again and again. The returned function
 * stops this.
 */
export function silenceNews(database: Pick<TestDatabase, 'owner'>): () => Promise<void> {
  let isSilent = true;
  const cut = async () => {
    while (isSilent) {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query ilike 'listen %'`.execute(database.owner);
    }
  };
  const cuts = cut();
  return async () => {
    isSilent = false;
    await cuts;
  };
}
