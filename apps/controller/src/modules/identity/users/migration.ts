import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table users (
  id uuid primary key,
  username text not null,
  email text,
  is_owner boolean not null default false,
  active boolean not null default true,
  password_hash text,
  password_changed_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  revision bigint not null default 1,
  must_change_password boolean not null default false,
  home_project uuid references projects on delete set null
);
create unique index users_username on users (lower(username));
create index users_home on users (home_project) where home_project is not null;

create table memberships (
  project_id uuid references projects on delete cascade,
  user_id uuid references users on delete cascade,
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
  created_at timestamptz not null,
  given_by text,
  primary key (project_id, user_id)
);
create index memberships_user on memberships (user_id);
select guard_project_table('memberships');
create policy own on memberships for select using (user_id = (select scope_user()));

create table invitations (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  username text not null,
  user_id uuid,
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
  invited_by uuid not null references users on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  declined_at timestamptz
);
create unique index invitations_name on invitations (project_id, lower(username));
create index invitations_account on invitations (user_id) where user_id is not null;
create index invitations_inviter on invitations (invited_by);
create index invitations_expiry on invitations (expires_at);
select guard_project_table('invitations');

create function close_invitations() returns trigger language plpgsql as $$
declare
  member memberships := case when tg_op = 'DELETE' then old else new end;
begin
  delete from invitations where project_id = member.project_id and user_id = member.user_id;
  return null;
end
$$;

create function announce_user() returns trigger language plpgsql as $$
declare
  id uuid := case when tg_op = 'DELETE' then old.id else new.id end;
  change jsonb := jsonb_build_object('topic', 'user', 'user_id', id);
  scope text := coalesce(current_setting('flotilla.scope', true), '');
begin
  perform announce_change(null, change);
  perform set_config('flotilla.scope', 'everything', true);
  perform announce_change(project_id, change) from memberships where user_id = id;
  perform set_config('flotilla.scope', scope, true);
  return null;
end
$$;

create trigger users_announced after insert or delete or update of username, email, is_owner, active on users
  for each row execute function announce_user();
create trigger held before insert or delete or update on memberships
  for each row when (scope_maker() is not null and pg_trigger_depth() = 0)
  execute function hold_always('membership');
create trigger memberships_close_invitations after insert or delete on memberships
  for each row execute function close_invitations();
create trigger memberships_announced after insert or delete or update on memberships
  for each row execute function announce_row('user', 'user_id', 'user_id');
create trigger held before insert or delete or update on invitations
  for each row when (scope_maker() is not null and pg_trigger_depth() = 0)
  execute function hold_always('invitation');
create trigger invitations_announced after insert or delete on invitations
  for each row execute function announce_row('user');
create policy own on projects for select
  using (id in (select project_id from memberships where user_id = (select scope_user())));
`);
