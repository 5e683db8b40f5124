import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table traffic_intervals (
  project_id uuid not null references projects on delete cascade,
  service_id uuid,
  client_id uuid,
  id bigint generated always as identity,
  epoch uuid not null,
  seq bigint not null,
  from_at timestamptz not null,
  until_at timestamptz not null,
  received_at timestamptz not null,
  totals bytea not null,
  names bytea not null,
  primary key (service_id, client_id, id),
  unique (project_id, service_id, client_id, epoch, seq)
);
alter table traffic_intervals alter column names set storage external;
create index traffic_intervals_time on traffic_intervals (project_id, service_id, until_at);
create index traffic_intervals_received on traffic_intervals (received_at);
select guard_project_table('traffic_intervals');
select list_parts('traffic_intervals', 'service', 'service_id');
select hold_parts('traffic_intervals', 'service', 'service_id', 'delete');

create table traffic_blocks (
  project_id uuid references projects on delete cascade,
  service_id uuid,
  client_id uuid,
  step_s int check (step_s in (60, 3600)),
  start_at timestamptz,
  totals bytea not null,
  names bytea not null,
  is_changed boolean not null,
  primary key (project_id, service_id, client_id, step_s, start_at)
) with (fillfactor=80);
alter table traffic_blocks alter column names set storage external;
create index traffic_blocks_start on traffic_blocks (step_s, start_at);
create index traffic_blocks_changed on traffic_blocks (start_at) where is_changed;
select guard_project_table('traffic_blocks');
select list_parts('traffic_blocks', 'service', 'service_id');
select hold_parts('traffic_blocks', 'service', 'service_id', 'delete');

create table traffic_minutes (
  project_id uuid references projects on delete cascade,
  service_id uuid,
  client_id uuid,
  minute timestamptz,
  requests bigint not null,
  errors bigint not null,
  covered_ms int not null,
  primary key (project_id, service_id, client_id, minute)
) with (fillfactor=80);
create index traffic_minutes_minute on traffic_minutes (minute);
select guard_project_table('traffic_minutes');
select list_parts('traffic_minutes', 'service', 'service_id');
select hold_parts('traffic_minutes', 'service', 'service_id', 'delete');

create table traffic_nodes (
  project_id uuid not null references projects on delete cascade,
  service_id uuid references services on delete cascade,
  client_id uuid references clients on delete cascade,
  first_at timestamptz not null,
  reported_at timestamptz not null,
  received_at timestamptz not null,
  clock_offset_ms bigint not null,
  problems jsonb not null,
  problems_omitted int not null,
  names_omitted int not null,
  reasons jsonb not null,
  newest_id bigint not null,
  rolled_to bigint not null default 0,
  primary key (service_id, client_id)
) with (fillfactor=50);
create index traffic_nodes_project on traffic_nodes (project_id, service_id);
create index traffic_nodes_client on traffic_nodes (client_id);
select guard_project_table('traffic_nodes');
select list_parts('traffic_nodes', 'service', 'service_id');
select hold_parts('traffic_nodes', 'service', 'service_id', 'delete');

create table traffic_marks (
  client_id uuid references clients on delete cascade,
  service_id uuid,
  epoch uuid,
  seq bigint not null,
  seen_at timestamptz not null,
  primary key (client_id, service_id, epoch)
);
create index traffic_marks_seen on traffic_marks (seen_at);
select guard_child_table('traffic_marks', 'clients', 'client_id');

create function announce_traffic() returns trigger language plpgsql as $$
begin
  perform announce_change(new.project_id,
    jsonb_build_object('topic', 'node', 'service_id', new.service_id, 'client_id', new.client_id));
  return null;
end
$$;

create trigger traffic_nodes_announced after update on traffic_nodes
  for each row when (old.reasons is distinct from new.reasons or old.problems is distinct from new.problems)
  execute function announce_traffic();
create trigger traffic_nodes_announced_new after insert on traffic_nodes
  for each row when (new.reasons <> '[]' or new.problems <> '[]')
  execute function announce_traffic();
`);
