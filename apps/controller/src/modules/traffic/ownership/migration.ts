import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table api_owner_rules (
  project_id uuid primary key references projects on delete cascade,
  rules jsonb not null,
  revision bigint not null,
  updated_at timestamptz not null,
  updated_by text not null
);
select guard_project_table('api_owner_rules');

create table api_owner_overrides (
  project_id uuid references projects on delete cascade,
  operation_id text collate "C" check (operation_id ~ '^[0-9a-f]{16}$'),
  given jsonb not null,
  updated_at timestamptz not null,
  updated_by text not null,
  primary key (project_id, operation_id)
);
select guard_project_table('api_owner_overrides');
`);
