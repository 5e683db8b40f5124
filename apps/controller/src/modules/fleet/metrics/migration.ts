import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table client_samples (
  client_id uuid references clients on delete cascade,
  minute timestamptz,
  samples int not null,
  cpu_percent float8 not null,
  load1_per_core float8 not null,
  load5_percent float8 not null,
  memory_percent float8 not null,
  memory_used_bytes float8 not null,
  memory_total_bytes float8 not null,
  disk_used_percent float8,
  disk_mount text,
  rx_bytes_per_s float8,
  tx_bytes_per_s float8,
  envoy_cpu_percent float8 not null,
  envoy_rss_bytes float8 not null,
  shield_cpu_percent float8 not null,
  shield_rss_bytes float8 not null,
  primary key (client_id, minute)
) with (fillfactor=80);
create index client_samples_minute on client_samples (minute);
select guard_child_table('client_samples', 'clients', 'client_id');

create table shield_counts (
  project_id uuid references projects on delete cascade,
  minute timestamptz,
  service_id uuid,
  client_id uuid,
  policy text,
  engine text,
  reason text,
  verdict text check (verdict in ('allowed', 'blocked', 'detected', 'error')),
  count bigint not null,
  primary key (project_id, minute, service_id, client_id, policy, engine, reason, verdict)
) with (fillfactor=80);
create index shield_counts_minute on shield_counts (minute);
select guard_project_table('shield_counts');
select list_parts('shield_counts', 'service', 'service_id');
select hold_parts('shield_counts', 'service', 'service_id', 'delete');

create table shield_reports (
  project_id uuid references projects on delete cascade,
  hour timestamptz,
  service_id uuid,
  client_id uuid,
  minutes bigint not null,
  primary key (project_id, hour, service_id, client_id)
) with (fillfactor=80);
create index shield_reports_hour on shield_reports (hour);
select guard_project_table('shield_reports');
select list_parts('shield_reports', 'service', 'service_id');
select hold_parts('shield_reports', 'service', 'service_id', 'delete');

create table shield_count_faults (
  project_id uuid references projects on delete cascade,
  minute timestamptz,
  service_id uuid,
  client_id uuid,
  policy text,
  dropped bigint not null,
  clock_off bigint not null,
  primary key (project_id, minute, service_id, client_id, policy)
);
create index shield_count_faults_minute on shield_count_faults (minute);
select guard_project_table('shield_count_faults');
select list_parts('shield_count_faults', 'service', 'service_id');
select hold_parts('shield_count_faults', 'service', 'service_id', 'delete');

create table shield_marks (
  client_id uuid references clients on delete cascade,
  service_id uuid,
  epoch uuid,
  policy text,
  engine text,
  reason text,
  verdict text,
  total bigint not null,
  seen_at timestamptz not null,
  primary key (client_id, service_id, epoch, policy, engine, reason, verdict)
) with (fillfactor=80);
create index shield_marks_seen on shield_marks (seen_at);
select guard_child_table('shield_marks', 'clients', 'client_id');

create function announce_samples() returns trigger language plpgsql as $$
begin
  perform pg_notify('client_samples', project_id || ' ' || string_agg(id::text, ','))
    from (select clients.id, project_id, row_number() over (partition by project_id) / 200 as part
      from changes join clients on clients.id = changes.client_id) placed
    group by project_id, part;
  return null;
end
$$;

create trigger client_stats_announced after update on client_stats referencing new table as changes
  for each statement execute function announce_samples();
create trigger client_stats_announced_new after insert on client_stats referencing new table as changes
  for each statement execute function announce_samples();
`);
