import { COMMANDS_KEPT_DAYS, QUESTIONS_KEPT_H } from '@flotilla/contract';
import { type Db, deleteInBatches } from '@flotilla/db';
import { type SqlBool, sql } from 'kysely';

const HOUR_MS = 3_600_000;
const BATCH = 10_000;

/**
 * Deletes questions an hour and other commands 90 days after their end, in batches so that locks are short. Unfinished
 * commands stay.
 */
export async function forgetOldCommands(db: Db, now: Date, batch = BATCH): Promise<void> {
  const before = (hours: number) => new Date(now.getTime() - hours * HOUR_MS);
  const rounds = [
    sql<SqlBool>`kind = 'query' and finished_at < ${before(QUESTIONS_KEPT_H)}`,
    sql<SqlBool>`finished_at < ${before(COMMANDS_KEPT_DAYS * 24)}`,
  ];
  for (const isOld of rounds) await deleteInBatches(db, 'commands', { isOld, batch });
}

/** Deletes a query that has ended and whose answer was read. */
export async function forgetQuery(db: Db, id: string): Promise<void> {
  await db
    .deleteFrom('commands')
    .where('id', '=', id)
    .where('kind', '=', 'query')
    .where('finished_at', 'is not', null)
    .execute();
}
