import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table collector_keys (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  sealed_key bytea not null,
  created_at timestamptz not null,
  retired_at timestamptz,
  retired_until timestamptz,
  check ((retired_at is null) = (retired_until is null))
);
create unique index collector_keys_current on collector_keys (project_id) where retired_at is null;
create index collector_keys_project on collector_keys (project_id);
select guard_project_table('collector_keys');
select guard_sealed_column('collector_keys', 'sealed_key');

create table collector_learners (
  project_id uuid primary key references projects on delete cascade,
  state bytea not null,
  places int not null,
  updated_at timestamptz not null
);
select guard_project_table('collector_learners');
`);
