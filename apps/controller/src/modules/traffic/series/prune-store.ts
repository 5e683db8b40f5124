import { TRAFFIC_RESOLUTIONS } from '@flotilla/contract';
import { type Db, deleteInBatches } from '@flotilla/db';
import { sql } from 'kysely';
import { blockSpanMs, HOUR_S, MINUTE_S } from './model/roll-up.ts';

const [TENS, MINUTES, HOURS] = TRAFFIC_RESOLUTIONS;
const BATCH = 5_000;
const MINUTES_KEPT_MS = 2 * 3_600_000;
/** Far longer than agents repeat an interval. */
const MARKS_KEPT_MS = 30 * 86_400_000;
/** Runs kept per node; agents have one at a time. */
const RUNS_KEPT = 32;

/** Deletes intervals that are in blocks and older than an hour. Their numbers stay known, so that a repeated one adds nothing. */
export async function forgetOldIntervals(db: Db, now: Date): Promise<void> {
  const limit = new Date(now.getTime() - TENS.kept_s * 1000);
  let deleted = BATCH;
  while (deleted >= BATCH) {
    const { rows } = await sql<{ count: number }>`
      with gone as (
        delete from traffic_intervals where ctid = any(array(
          select i.ctid from traffic_intervals i
            left join traffic_nodes n on n.service_id = i.service_id and n.client_id = i.client_id
          where i.received_at < ${limit} and (n.rolled_to is null or i.id <= n.rolled_to)
          order by i.received_at limit ${BATCH}))
        returning client_id, service_id, epoch, seq
      ), marked as (
        insert into traffic_marks (client_id, service_id, epoch, seq, seen_at)
        select client_id, service_id, epoch, max(seq), ${now} from gone join clients on clients.id = gone.client_id
        group by client_id, service_id, epoch order by 1, 2, 3
        on conflict (client_id, service_id, epoch)
          do update set seq = greatest(traffic_marks.seq, excluded.seq), seen_at = excluded.seen_at
      )
      select count(*)::int as count from gone`.execute(db);
    deleted = rows[0]?.count ?? 0;
  }
  await sql`
    delete from traffic_marks using (
      select client_id, service_id, epoch, row_number() over (
        partition by client_id, service_id order by seen_at desc, epoch) as place from traffic_marks) runs
    where runs.place > ${RUNS_KEPT} and traffic_marks.client_id = runs.client_id
      and traffic_marks.service_id = runs.service_id and traffic_marks.epoch = runs.epoch`.execute(db);
}

/** Deletes expired minutes and hours. */
export async function forgetOldTraffic(db: Db, now: Date): Promise<void> {
  const before = (ms: number) => new Date(now.getTime() - ms);
  const ended = (stepS: typeof MINUTE_S | typeof HOUR_S, keptS: number) => before(keptS * 1000 + blockSpanMs(stepS));
  const rounds = [
    { table: 'traffic_minutes', isOld: sql<boolean>`minute < ${before(MINUTES_KEPT_MS)}` },
    {
      table: 'traffic_blocks',
      isOld: sql<boolean>`step_s = ${MINUTE_S} and start_at < ${ended(MINUTE_S, MINUTES.kept_s)}`,
    },
    { table: 'traffic_blocks', isOld: sql<boolean>`step_s = ${HOUR_S} and start_at < ${ended(HOUR_S, HOURS.kept_s)}` },
    { table: 'traffic_marks', isOld: sql<boolean>`seen_at < ${before(MARKS_KEPT_MS)}` },
  ];
  for (const { table, isOld } of rounds) await deleteInBatches(db, table, { isOld, batch: BATCH });
}
