import { type Kysely, sql } from 'kysely';

/**
 * The audit log and sessions that end are told by statement, too (see 0009): a realm that is switched off signs tens of
 * thousands of people out at once, and the news of each, by rows, took as long as all the rest.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    drop trigger audit_log_told on audit_log;
    -- Short of tell_changes: with every change there is an entry, and of one there is nothing to put together.
    create function tell_audit() returns trigger language plpgsql as $$
    begin
      insert into outbox (topic, payload, at)
        select 'live.changed', jsonb_build_object('topic', 'audit', 'project', project_id), clock_timestamp()
        from (select distinct project_id from told) each;
      if found then perform pg_notify('outbox', 'live.changed'); end if;
      return null;
    end $$;
    create trigger audit_log_told after insert on audit_log
      referencing new table as told for each statement execute function tell_audit();

    drop trigger sessions_told on sessions;
    drop function tell_session_ended();
    create function tell_sessions_ended() returns trigger language plpgsql as $$
    begin
      perform tell_changes(jsonb_agg(jsonb_build_object('topic', 'session', 'project', null, 'user_id', told.user_id)))
        from told join (select id, ended_at from known) before using (id)
        where told.ended_at is distinct from before.ended_at
        having count(*) > 0;
      return null;
    end $$;
    create trigger sessions_told after update on sessions
      referencing new table as told old table as known for each statement execute function tell_sessions_ended();
  `.execute(db);
}
