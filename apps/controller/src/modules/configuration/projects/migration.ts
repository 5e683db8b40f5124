import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table projects (
  id uuid primary key,
  name text not null,
  description text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  revision bigint not null default 1,
  resource_access text not null default 'open' check (resource_access in ('open', 'listed'))
);
create unique index projects_name on projects (lower(name));
select guard_project_table('projects', 'id');

create function announce_project() returns trigger language plpgsql as $$
declare
  id uuid := case when tg_op = 'DELETE' then old.id else new.id end;
begin
  perform announce_change(id, jsonb_build_object('topic', 'project', 'project_id', id));
  return null;
end
$$;

create trigger held before insert or delete or update on projects
  for each row when (scope_maker() is not null and pg_trigger_depth() = 0)
  execute function hold_always('project');
create trigger projects_announced after insert or delete or update on projects
  for each row execute function announce_project();
`);
