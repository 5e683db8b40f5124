import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
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
  detail text not null,
  search text collate "C" generated always as (lower(
    host || chr(10) || path || chr(10) || subject || chr(10) || reason || chr(10) || policy || chr(10) ||
    detail || chr(10) || request_id)) stored not null
);
create index shield_events_newest on shield_events (project_id, time desc, id desc);
create index shield_events_client on shield_events (project_id, client_id, time desc, id desc);
create index shield_events_service on shield_events (project_id, service_id, time desc, id desc);
create index shield_events_policy on shield_events (project_id, policy, time desc, id desc);
create index shield_events_source on shield_events (project_id, source_ip, time desc);
create index shield_events_request on shield_events (project_id, request_id) where request_id <> '';
create index shield_events_subject on shield_events (project_id, subject, time desc) where subject <> '';
create index shield_events_time on shield_events (time);
select guard_project_table('shield_events');
select list_parts('shield_events', 'service', 'service_id');
select hold_parts('shield_events', 'service', 'service_id', 'delete');

create table shield_event_drops (
  project_id uuid references projects on delete cascade,
  service_id uuid,
  client_id uuid,
  time timestamptz,
  count bigint not null check (count > 0),
  primary key (project_id, time, service_id, client_id)
);
create index shield_event_drops_time on shield_event_drops (time);
select guard_project_table('shield_event_drops');
select list_parts('shield_event_drops', 'service', 'service_id');
select hold_parts('shield_event_drops', 'service', 'service_id', 'delete');

create table shield_event_marks (
  client_id uuid references clients on delete cascade,
  service_id uuid,
  epoch uuid,
  seq bigint not null,
  seen_at timestamptz not null,
  primary key (client_id, service_id, epoch)
) with (fillfactor=80);
create index shield_event_marks_seen on shield_event_marks (seen_at);
select guard_child_table('shield_event_marks', 'clients', 'client_id');

create function announce_shield_events() returns trigger language plpgsql as $$
begin
  perform announce_changes(jsonb_agg(distinct jsonb_build_object('topic', 'shield_event', 'project', project_id,
    'service_id', service_id))) from changes having count(*) > 0;
  return null;
end
$$;

create trigger shield_events_announced_new after insert on shield_events referencing new table as changes
  for each statement execute function announce_shield_events();
`);
