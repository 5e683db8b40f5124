import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { takeLock } from '../../../platform/database/named-lock.ts';
import type { CounterRow } from './reading.ts';

/** Max runs kept per filter besides those just reported: twice as many as an agent reports. */
const RUNS_KEPT = 32;

/**
 * Adds to each row's minute the part of its total that was not counted yet. A gap below the total was counted in a
 * dropped minute and is stored as a fault. Repeated or older totals add nothing, on any controller. Ignores services
 * that are not assigned to the client, and policies that the service neither has nor had when the run was first
 * reported. Of filters that restart again and again, or that an agent invents, only the newest runs are kept.
 */
// oxlint-disable-next-line max-lines-per-function -- one SQL statement
export async function addCounts(db: Db, rows: readonly CounterRow[], now: Date): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // Serialises flushes of all controllers: late messages of a client's older stream may arrive after the newer one's.
    await takeLock(tx, 'shield counts');
    await sql`
      with reported as (
        select s.project_id, s.policies, c.*
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as c(client_id uuid, service_id uuid, epoch uuid,
          policy text, engine text, reason text, verdict text, before bigint, total bigint, minute timestamptz,
          clock_off boolean)
        join service_targets t on t.client_id = c.client_id and t.service_id = c.service_id
        join services s on s.id = c.service_id
      ), known as (
        select reported.*, m.total is null as is_first, greatest(coalesce(m.total, 0), coalesce(max(reported.total) over earlier, 0))
          as counted
        from reported
        left join shield_marks m using (client_id, service_id, epoch, policy, engine, reason, verdict)
        where m.total is not null or reported.policy = any(reported.policies)
        window earlier as (
          partition by client_id, service_id, epoch, policy, engine, reason, verdict
          order by reported.total, reported.before rows between unbounded preceding and 1 preceding)
      ), news as (
        select known.*, greatest(total - greatest(counted, before), 0) as added, greatest(before - counted, 0) as dropped
        from known
      ), runs as (
        select client_id, service_id, epoch, row_number() over (
          partition by client_id, service_id order by max(seen_at) desc, epoch) as place
        from shield_marks join (select distinct client_id, service_id from news where is_first) fresh
          using (client_id, service_id)
        group by client_id, service_id, epoch
      ), forgotten as (
        delete from shield_marks m using runs
        where runs.place > ${RUNS_KEPT} and m.client_id = runs.client_id and m.service_id = runs.service_id
          and m.epoch = runs.epoch
          -- The runs reported now are written below, and a row can be changed only once.
          and not exists (select from reported where reported.client_id = runs.client_id
            and reported.service_id = runs.service_id and reported.epoch = runs.epoch)
      ), marked as (
        insert into shield_marks (client_id, service_id, epoch, policy, engine, reason, verdict, total, seen_at)
        select client_id, service_id, epoch, policy, engine, reason, verdict, max(total), ${now} from news
        group by client_id, service_id, epoch, policy, engine, reason, verdict
        on conflict (client_id, service_id, epoch, policy, engine, reason, verdict)
          do update set total = greatest(shield_marks.total, excluded.total), seen_at = excluded.seen_at
      ), faults as (
        insert into shield_count_faults as kept (project_id, minute, service_id, client_id, policy, dropped, clock_off)
        select project_id, date_trunc('minute', ${now}::timestamptz), service_id, client_id, policy, sum(dropped),
          coalesce(sum(added) filter (where clock_off), 0)
        from news where dropped > 0 or (clock_off and added > 0)
        group by project_id, service_id, client_id, policy
        on conflict (project_id, minute, service_id, client_id, policy)
          do update set dropped = kept.dropped + excluded.dropped, clock_off = kept.clock_off + excluded.clock_off
      )
      insert into shield_counts as kept
        (project_id, minute, service_id, client_id, policy, engine, reason, verdict, count)
      select project_id, minute, service_id, client_id, policy, engine, reason, verdict, sum(added)
      from news where added > 0
      group by project_id, minute, service_id, client_id, policy, engine, reason, verdict
      on conflict (project_id, minute, service_id, client_id, policy, engine, reason, verdict)
        do update set count = kept.count + excluded.count`.execute(tx);
  });
}
