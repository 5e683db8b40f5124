import { COMMANDS_KEPT_DAYS, QUESTIONS_KEPT_H } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

const HOUR_MS = 3_600_000;
const BATCH = 10_000;

/**
 * Takes away questions an hour and other commands 90 days after they ended, a batch at a time, so that nobody waits for
 * long. What has not ended stays, however old it is.
 */
export async function forgetOldCommands(db: Db, now: Date, batch = BATCH): Promise<void> {
  const before = (hours: number) => new Date(now.getTime() - hours * HOUR_MS);
  const rounds = [
    sql`kind = 'query' and finished_at < ${before(QUESTIONS_KEPT_H)}`,
    sql`finished_at < ${before(COMMANDS_KEPT_DAYS * 24)}`,
  ];
  for (const isOld of rounds) {
    let taken = batch;
    while (taken >= batch) {
      const { numAffectedRows } = await sql`
        delete from commands where ctid = any(array(
          select ctid from commands where ${isOld} limit ${batch}))`.execute(db);
      taken = Number(numAffectedRows ?? 0n);
    }
  }
}
