import { type Db, deleteInBatches } from '@flotilla/db';
import { sql } from 'kysely';

const ENDED_KEPT_DAYS = 365;
const BATCH = 2000;

/** Deletes findings that ended a year ago, with their history. */
export async function forgetOldFindings(db: Db, now: Date): Promise<void> {
  const before = new Date(now.getTime() - ENDED_KEPT_DAYS * 86_400_000);
  await deleteInBatches(db, 'inventory_findings', {
    isOld: sql<boolean>`state in ('fixed', 'operation_gone') and state_since < ${before}`,
    batch: BATCH,
  });
}
