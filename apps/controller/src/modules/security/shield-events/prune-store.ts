import { SHIELD_EVENTS_KEPT_DAYS, SHIELD_EVENTS_KEPT_MAX } from '@flotilla/contract';
import { type Db, deleteInBatches } from '@flotilla/db';
import { sql } from 'kysely';

const DAY_MS = 86_400_000;
/** Far longer than agents repeat events of a run. */
const MARKS_KEPT_DAYS = 30;
const BATCH = 10_000;

/** Deletes what is too old and then what is too much, in batches so that locks are short. */
export async function forgetOldEvents(db: Db, now: Date, batch = BATCH): Promise<void> {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS);
  const rounds = [
    { table: 'shield_events', column: 'time', limit: before(SHIELD_EVENTS_KEPT_DAYS) },
    { table: 'shield_event_drops', column: 'time', limit: before(SHIELD_EVENTS_KEPT_DAYS) },
    { table: 'shield_event_marks', column: 'seen_at', limit: before(MARKS_KEPT_DAYS) },
  ];
  for (const { table, column, limit } of rounds) {
    await deleteInBatches(db, table, { isOld: sql`${sql.ref(column)} < ${limit}`, batch });
  }
  const crowded = await db
    .selectFrom('shield_events')
    .select('project_id')
    .groupBy('project_id')
    .having(({ fn }) => fn.countAll<number>(), '>', SHIELD_EVENTS_KEPT_MAX)
    .execute();
  for (const { project_id: project } of crowded) await trimProject(db, project);
}

/**
 * Trims a project to its limit. The clients with the most events lose their oldest ones until all of them fit together,
 * so that a flood takes no space from other clients.
 */
export async function trimProject(db: Db, projectId: string, most = SHIELD_EVENTS_KEPT_MAX): Promise<void> {
  const clients = await db
    .selectFrom('shield_events')
    .select(({ fn }) => ['client_id', fn.countAll<number>().as('count')])
    .where('project_id', '=', projectId)
    .groupBy('client_id')
    .execute();
  const share = deriveShare(
    clients.map(({ count }) => count),
    most,
  );
  for (const { client_id: clientId, count } of clients) {
    for (let left = count - share; left > 0; left -= BATCH) {
      await sql`
        delete from shield_events where id = any(array(
          select id from shield_events where project_id = ${projectId} and client_id = ${clientId}
          order by time, id limit ${Math.min(left, BATCH)}))`.execute(db);
    }
  }
}

/** The maximum per client with which all together have at most `most`. */
export function deriveShare(counts: readonly number[], most: number): number {
  let left = most;
  const rising = counts.toSorted((a, b) => a - b);
  for (const [i, count] of rising.entries()) {
    const share = Math.floor(left / (rising.length - i));
    if (count > share) return share;
    left -= count;
  }
  return Number.POSITIVE_INFINITY;
}
