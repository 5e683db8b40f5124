import { type Db, deleteInBatches } from '@flotilla/db';
import { sql } from 'kysely';

/** Retention of ended jobs with their steps and events. */
const KEPT_MS = 30 * 86_400_000;
const BATCH = 1000;

export async function forgetOldJobs(db: Db, now: Date): Promise<void> {
  const old = new Date(now.getTime() - KEPT_MS);
  await deleteInBatches(db, 'jobs', { isOld: sql`ended_at < ${old}`, batch: BATCH });
}
