import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';

/** Until the returned function has ended no controller is told of anything: who listens is cut off again and again. */
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
