import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(String.raw`
create function audit_text(actor_name text, action text, resource_name text, path text) returns text
  language sql immutable parallel safe as $$
  select lower(
    case when actor_name is null then '' else actor_name end || E'\n' ||
    action || E'\n' ||
    case when resource_name is null then '' else resource_name end || E'\n' ||
    case when path is null then '' else path end)
$$;

create table audit_log (
  id uuid primary key,
  at timestamptz not null,
  actor_kind text not null,
  actor_id text,
  actor_name text,
  actor_role text,
  project_id uuid,
  action text not null,
  resource_type text,
  resource_id text,
  resource_name text,
  outcome text not null check (outcome in ('done', 'denied', 'failed')),
  status int not null,
  error_code text,
  method text,
  path text,
  client_ip text,
  user_agent text,
  request_id text,
  changes jsonb
);
create index audit_log_at on audit_log (at desc, id desc);
create index audit_log_by_type on audit_log (project_id, resource_type, at desc, id desc);
create index audit_log_by_resource on audit_log (project_id, resource_id, at desc, id desc);
create index audit_log_by_action on audit_log (project_id, action, at desc, id desc);
create index audit_log_by_actor on audit_log (project_id, actor_id, at desc, id desc);
create index audit_log_by_actor_name on audit_log (project_id, actor_name, at desc, id desc);
create index audit_log_by_outcome on audit_log (project_id, outcome, at desc, id desc);
create index audit_log_project_at on audit_log
  (project_id, at desc, id desc) include (outcome, action, actor_name, resource_type);
create index audit_log_text on audit_log using gin
  (project_id, audit_text(actor_name, action, resource_name, path) gin_trgm_ops);
create index audit_log_by_request on audit_log (project_id, request_id);
select guard_project_table('audit_log');
create policy of_the_installation on audit_log for insert with check (project_id is null);

create table audit_unsealed (
  entry_id uuid primary key,
  project_key uuid not null
);
select guard_project_table('audit_unsealed', 'project_key');

create function queue_for_sealing() returns trigger language plpgsql as $$
begin
  insert into audit_unsealed (entry_id, project_key)
    select id, coalesce(project_id, '00000000-0000-0000-0000-000000000000') from written;
  return null;
end
$$;

create function refuse_rewriting() returns trigger language plpgsql as $$
begin
  if pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'member') then return null; end if;
  raise exception '% is written once', tg_table_name using errcode = 'insufficient_privilege';
end
$$;

create function announce_audit() returns trigger language plpgsql as $$
begin
  insert into outbox (topic, payload, at)
    select 'live.changed', jsonb_build_object('topic', 'audit', 'project', project_id), clock_timestamp()
    from (select distinct project_id from changes) each;
  if found then perform pg_notify('outbox', 'live.changed'); end if;
  return null;
end
$$;

create trigger audit_log_to_seal after insert on audit_log referencing new table as written
  for each statement execute function queue_for_sealing();
create trigger audit_log_announced after insert on audit_log referencing new table as changes
  for each statement execute function announce_audit();
create trigger audit_log_written_once before delete or update or truncate on audit_log
  for each statement execute function refuse_rewriting();
`);
