import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table groups (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  description text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  revision bigint not null default 1,
  is_default boolean not null default false,
  unique (project_id, id)
);
create unique index groups_name on groups (project_id, lower(name));
create unique index groups_default on groups (project_id) where is_default;
select guard_project_table('groups');

create table group_members (
  project_id uuid not null,
  group_id uuid,
  user_id uuid,
  added_at timestamptz not null,
  primary key (group_id, user_id),
  foreign key (project_id, group_id) references groups (project_id, id) on delete cascade,
  foreign key (project_id, user_id) references memberships (project_id, user_id) on delete cascade
);
create index group_members_user on group_members (project_id, user_id);
select guard_project_table('group_members');

create function join_default_group() returns trigger language plpgsql as $$
begin
  insert into group_members (project_id, group_id, user_id, added_at)
    select new.project_id, g.id, new.user_id, new.created_at from groups g
    where g.project_id = new.project_id and g.is_default
    -- Waits for a group that is being deleted, which then gets no member.
    for key share of g
    on conflict do nothing;
  return null;
end
$$;

create trigger groups_announced after insert or delete or update on groups
  for each row execute function announce_row('group', 'group_id', 'id');
create trigger held before insert or delete or update on groups
  for each row when (scope_maker() is not null and pg_trigger_depth() = 0)
  execute function hold_always('group');
create trigger group_members_announced after insert or delete on group_members
  for each row execute function announce_row('group', 'group_id', 'group_id');
create trigger held before insert or delete or update on group_members
  for each row when (scope_maker() is not null and pg_trigger_depth() = 0)
  execute function hold_always('group');
create trigger memberships_join_default after insert on memberships
  for each row execute function join_default_group();
`);
