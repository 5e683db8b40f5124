import { HOST_SERIES_KEPT_H, SHIELD_SERIES_KEPT_DAYS } from '@flotilla/contract';
import { type Db, deleteInBatches } from '@flotilla/db';
import { sql } from 'kysely';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Far longer than agents repeat a run: a total whose mark is gone would be counted from zero. */
const MARKS_KEPT_DAYS = 30;
const BATCH = 10_000;

/** Deletes expired minutes in batches, so that locks are short. */
export async function forgetOldSeries(db: Db, now: Date, batch = BATCH): Promise<void> {
  const before = (ms: number) => new Date(now.getTime() - ms);
  const rounds = [
    { table: 'client_samples', column: 'minute', limit: before(HOST_SERIES_KEPT_H * HOUR_MS) },
    { table: 'shield_counts', column: 'minute', limit: before(SHIELD_SERIES_KEPT_DAYS * DAY_MS) },
    { table: 'shield_reports', column: 'hour', limit: before((SHIELD_SERIES_KEPT_DAYS * 24 + 1) * HOUR_MS) },
    { table: 'shield_count_faults', column: 'minute', limit: before(SHIELD_SERIES_KEPT_DAYS * DAY_MS) },
    { table: 'shield_marks', column: 'seen_at', limit: before(MARKS_KEPT_DAYS * DAY_MS) },
  ];
  for (const { table, column, limit } of rounds) {
    await deleteInBatches(db, table, { isOld: sql`${sql.ref(column)} < ${limit}`, batch });
  }
}
