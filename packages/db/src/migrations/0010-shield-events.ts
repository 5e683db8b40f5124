import { type Kysely, sql } from 'kysely';

/** What filters found, one row per finding. Old rows, and those of projects that have too many, are taken away. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- No reference to clients and services: what was found stays when they go.
    create table shield_events (
      id uuid primary key,
      project_id uuid not null references projects on delete cascade,
      time timestamptz not null,
      service_id uuid not null,
      client_id uuid not null,
      request_id text not null,
      method text not null,
      host text not null,
      path text not null,
      policy text not null,
      route text not null,
      engine text not null,
      reason text not null,
      severity text not null check (severity in ('info', 'low', 'medium', 'high', 'critical')),
      verdict text not null check (verdict in ('blocked', 'detected', 'error')),
      status smallint not null,
      subject text not null,
      source_ip inet,
      digest text not null,
      detail text not null
    );
    create index shield_events_newest on shield_events (project_id, time desc, id desc);
    -- What is kept of a client is counted by it.
    create index shield_events_client on shield_events (project_id, client_id, time desc, id desc);
    create index shield_events_service on shield_events (project_id, service_id, time desc, id desc);
    create index shield_events_policy on shield_events (project_id, policy, time desc, id desc);
    create index shield_events_source on shield_events (project_id, source_ip, time desc);
    create index shield_events_request on shield_events (project_id, request_id) where request_id <> '';
    create index shield_events_subject on shield_events (project_id, subject, time desc) where subject <> '';
    create index shield_events_time on shield_events (time);

    -- The last number that was stored of each run (epoch) of each filter: what is told again adds nothing.
    create table shield_event_marks (
      client_id uuid not null references clients on delete cascade,
      service_id uuid not null,
      epoch uuid not null,
      seq bigint not null,
      seen_at timestamptz not null,
      primary key (client_id, service_id, epoch)
    ) with (fillfactor = 80);
    create index shield_event_marks_seen on shield_event_marks (seen_at);

    create function tell_shield_events() returns trigger language plpgsql as $$
    begin
      perform tell_changes(jsonb_agg(distinct jsonb_build_object('topic', 'shield_event', 'project', project_id,
        'service_id', service_id))) from told having count(*) > 0;
      return null;
    end $$;
    create trigger shield_events_told_new after insert on shield_events
      referencing new table as told for each statement execute function tell_shield_events();

    alter table config_errors drop constraint config_errors_source_check;
    alter table config_errors add constraint config_errors_source_check
      check (source in ('rollout', 'policy', 'node', 'content', 'translation', 'filter'));
  `.execute(db);
}
