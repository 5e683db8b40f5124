import type { Db } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { takeLock } from '../../../platform/database/named-lock.ts';
import type { EventRow } from './model.ts';

/** Max runs kept per filter. Agents report fewer. */
const RUNS_KEPT = 32;

/**
 * Stores new events of many clients in one statement, and counts gaps: numbers of a run without a finding. Ignores
 * services that are not assigned to the client. Numbers of a run only grow, so repeated, late or rerouted reports add
 * nothing. Resolves to the number of stored events per project.
 */
export async function addEvents(db: Db, rows: readonly EventRow[], now: Date): Promise<ReadonlyMap<string, number>> {
  const reported = rows.map((row) => ({ ...row, id: createId(now.getTime()) }));
  return db.transaction().execute(async (tx) => {
    // Serialises flushes of all controllers: late messages of a client's older stream may arrive after the newer one's.
    await takeLock(tx, 'shield events');
    const { rows: kept } = await sql<{ project_id: string; count: number }>`
      with reported as (
        select distinct on (e.client_id, e.service_id, e.epoch, e.seq) s.project_id, e.*
        from jsonb_to_recordset(${JSON.stringify(reported)}::jsonb) as e(id uuid, client_id uuid, service_id uuid, epoch uuid,
          seq bigint, time timestamptz, request_id text, method text, host text, path text, policy text, route text,
          engine text, reason text, severity text, verdict text, status smallint, subject text, source_ip inet,
          digest text, detail text)
        join service_targets t on t.client_id = e.client_id and t.service_id = e.service_id
        join services s on s.id = e.service_id
        order by e.client_id, e.service_id, e.epoch, e.seq
      ), news as (
        select reported.*, m.seq is null as is_first, coalesce(m.seq, 0) as stored_to
        from reported left join shield_event_marks m using (client_id, service_id, epoch)
        where m.seq is null or reported.seq > m.seq
      ), runs as (
        select client_id, service_id, epoch, row_number() over (
          partition by client_id, service_id order by seen_at desc, epoch) as place
        from shield_event_marks join (select distinct client_id, service_id from news where is_first) fresh
          using (client_id, service_id)
      ), forgotten as (
        delete from shield_event_marks m using runs
        where runs.place > ${RUNS_KEPT} and m.client_id = runs.client_id and m.service_id = runs.service_id
          and m.epoch = runs.epoch
          -- The runs reported now are written below, and a row can be changed only once.
          and not exists (select from reported where reported.client_id = runs.client_id
            and reported.service_id = runs.service_id and reported.epoch = runs.epoch)
      ), marked as (
        insert into shield_event_marks (client_id, service_id, epoch, seq, seen_at)
        select client_id, service_id, epoch, max(seq), ${now} from news group by client_id, service_id, epoch
        on conflict (client_id, service_id, epoch)
          do update set seq = greatest(shield_event_marks.seq, excluded.seq), seen_at = excluded.seen_at
      ), gaps as (
        select project_id, client_id, service_id, max(seq) - max(stored_to) - count(*) as count
        from news group by project_id, client_id, service_id, epoch
      ), dropped as (
        insert into shield_event_drops (project_id, service_id, client_id, time, count)
        select project_id, service_id, client_id, date_trunc('minute', ${now}::timestamptz), sum(count) from gaps
        where count > 0 group by project_id, service_id, client_id
        on conflict (project_id, time, service_id, client_id)
          do update set count = shield_event_drops.count + excluded.count
      ), kept as (
        insert into shield_events (id, project_id, time, service_id, client_id, request_id, method, host, path, policy,
          route, engine, reason, severity, verdict, status, subject, source_ip, digest, detail)
        select id, project_id, time, service_id, client_id, request_id, method, host, path, policy,
          route, engine, reason, severity, verdict, status, subject, source_ip, digest, detail
        from news
        returning project_id
      )
      select project_id, count(*) as count from kept group by project_id`.execute(tx);
    return new Map(kept.map((row) => [row.project_id, row.count]));
  });
}
