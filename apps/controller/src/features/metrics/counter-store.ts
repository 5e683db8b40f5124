import type { Db, ShieldVerdictName } from '@flotilla/db';
import { sql } from 'kysely';

/** One total of one run (epoch) of the filter of a service on a client. */
export interface CounterRow {
  readonly client_id: string;
  readonly service_id: string;
  readonly epoch: string;
  readonly policy: string;
  readonly engine: string;
  readonly reason: string;
  readonly verdict: ShieldVerdictName;
  readonly total: number;
}

/** Of each filter so many runs are remembered beside those just told: twice as many as an agent tells of. */
const RUNS_KEPT = 32;

/**
 * Counts what the totals say beyond what was counted before, in the minute of `now`. The same totals again, or older ones,
 * add nothing, whichever controller they reach. An agent is believed only about services that are meant for it, and about
 * policies that they have or had when the run was first heard of. Filters that start again and again, or that an agent has
 * made up, are forgotten but for the newest.
 */
export async function addCounts(db: Db, rows: readonly CounterRow[], now: Date): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // One flush at a time among all controllers: of two streams of one client, the older one's last words may come late.
    await sql`select pg_advisory_xact_lock(hashtextextended('shield counts', 0))`.execute(tx);
    await sql`
      with told as (
        select distinct on (c.client_id, c.service_id, c.epoch, c.policy, c.engine, c.reason, c.verdict)
          s.project_id, c.*
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as c(client_id uuid, service_id uuid, epoch uuid,
          policy text, engine text, reason text, verdict text, total bigint)
        join service_targets t on t.client_id = c.client_id and t.service_id = c.service_id
        join services s on s.id = c.service_id
        order by c.client_id, c.service_id, c.epoch, c.policy, c.engine, c.reason, c.verdict, c.total desc
      ), news as (
        select told.*, told.total - coalesce(m.total, 0) as added, m.total is null as is_first
        from told
        join services s on s.id = told.service_id
        left join shield_marks m using (client_id, service_id, epoch, policy, engine, reason, verdict)
        where m.total is not null or told.policy = any(s.policies)
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
          -- What is told now is written below, and a row can be changed once only.
          and not exists (select from told where told.client_id = runs.client_id
            and told.service_id = runs.service_id and told.epoch = runs.epoch)
      ), marked as (
        insert into shield_marks (client_id, service_id, epoch, policy, engine, reason, verdict, total, seen_at)
        select client_id, service_id, epoch, policy, engine, reason, verdict, total, ${now} from news
        on conflict (client_id, service_id, epoch, policy, engine, reason, verdict)
          do update set total = greatest(shield_marks.total, excluded.total), seen_at = excluded.seen_at
      )
      insert into shield_counts as kept
        (project_id, minute, service_id, client_id, policy, engine, reason, verdict, count)
      select project_id, date_trunc('minute', ${now}::timestamptz), service_id, client_id, policy, engine, reason, verdict,
        sum(added)
      from news where added > 0
      group by project_id, service_id, client_id, policy, engine, reason, verdict
      on conflict (project_id, minute, service_id, client_id, policy, engine, reason, verdict)
        do update set count = kept.count + excluded.count`.execute(tx);
  });
}
