import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table maintenance_windows (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > starts_at),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  revision bigint not null default 1
);
create unique index maintenance_windows_name on maintenance_windows (project_id, lower(name));
select guard_project_table('maintenance_windows');
`);
