import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table permissions (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  resource_kind text not null check (resource_kind in ('document', 'policy', 'service', 'client')),
  resource_id uuid,
  user_id uuid,
  group_id uuid,
  level text not null check (level in ('view', 'use', 'change')),
  granted_by text,
  granted_at timestamptz not null,
  check (num_nonnulls(user_id, group_id) = 1),
  unique nulls not distinct (project_id, resource_kind, resource_id, user_id, group_id),
  foreign key (project_id, group_id) references groups (project_id, id) on delete cascade,
  foreign key (project_id, user_id) references memberships (project_id, user_id) on delete cascade
);
create index permissions_user on permissions (project_id, user_id, resource_kind) where user_id is not null;
create index permissions_group on permissions (project_id, group_id, resource_kind) where group_id is not null;
select guard_project_table('permissions');

create function announce_permissions() returns trigger language plpgsql as $$
begin
  perform announce_changes(jsonb_agg(distinct jsonb_build_object('topic', 'permission', 'project', project_id)))
    from changes having count(*) > 0;
  return null;
end
$$;

create trigger held before insert or delete or update on permissions
  for each row when (scope_maker() is not null and pg_trigger_depth() = 0)
  execute function hold_always('permission');
create trigger permissions_announced after update on permissions referencing new table as changes
  for each statement execute function announce_permissions();
create trigger permissions_announced_deleted after delete on permissions referencing old table as changes
  for each statement execute function announce_permissions();
create trigger permissions_announced_new after insert on permissions referencing new table as changes
  for each statement execute function announce_permissions();
`);
