import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table settings (
  id uuid primary key,
  project_id uuid references projects on delete cascade,
  key text not null,
  name text not null default '',
  value jsonb not null,
  secrets jsonb not null default '{}'::jsonb,
  sealed bytea,
  revision bigint not null default 0,
  updated_at timestamptz not null,
  updated_by text not null,
  unique nulls not distinct (project_id, key, name)
);
select guard_project_table('settings');
select guard_sealed_column('settings', 'sealed');
create policy sign_in_of_own_projects on settings for select using (
  (select scope_user()) is not null and key in ('sign_in', 'otp')
  and (project_id is null or project_id in (select m.project_id from memberships m where m.user_id = (select scope_user()))));

create table setting_revisions (
  setting_id uuid references settings on delete cascade,
  project_id uuid,
  revision bigint,
  value jsonb not null,
  secrets jsonb not null,
  updated_at timestamptz not null,
  updated_by text not null,
  primary key (setting_id, revision)
);
select guard_project_table('setting_revisions');
`);
