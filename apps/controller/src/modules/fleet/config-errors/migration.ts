import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table config_errors (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  service_id uuid not null,
  client_id uuid,
  node_id text not null,
  source text not null check (source in ('rollout', 'policy', 'node', 'content', 'translation', 'filter')),
  severity text not null check (severity in ('critical', 'error', 'warning')),
  resource_type text not null,
  resource_name text not null,
  message text not null,
  raw_message text not null,
  suggested_fix text,
  status text not null check (status in ('active', 'resolved')),
  first_seen timestamptz not null,
  last_seen timestamptz not null,
  occurrences int not null,
  resolved_at timestamptz,
  resolved_by text,
  code text,
  active_since timestamptz
);
create unique index config_errors_same on config_errors
  (service_id, node_id, source, resource_type, resource_name, md5(raw_message));
create index config_errors_project on config_errors (project_id, last_seen desc, id desc);
create index config_errors_active on config_errors (service_id) where status = 'active';
create index config_errors_node on config_errors (node_id) where status = 'active';
create index config_errors_open on config_errors (project_id, last_seen desc, id desc) where status = 'active';
create index config_errors_failing on config_errors
  (service_id, client_id) where (status = 'active') and (severity <> 'warning');
select guard_project_table('config_errors');
select list_parts('config_errors', 'service', 'service_id');
select hold_parts('config_errors', 'service', 'service_id');

create function announce_config_errors() returns trigger language plpgsql as $$
begin
  perform announce_changes(jsonb_agg(distinct jsonb_build_object('topic', 'config_error', 'project', project_id,
    'service_id', service_id))) from changes having count(*) > 0;
  return null;
end
$$;

create trigger config_errors_announced after update on config_errors referencing new table as changes
  for each statement execute function announce_config_errors();
create trigger config_errors_announced_deleted after delete on config_errors referencing old table as changes
  for each statement execute function announce_config_errors();
create trigger config_errors_announced_new after insert on config_errors referencing new table as changes
  for each statement execute function announce_config_errors();
`);
