import { defineMigration } from '@flotilla/db';

export const detectorsMigration = defineMigration(`
create table collector_detectors (
  project_id uuid references projects on delete cascade,
  collector text collate "C" not null,
  state bytea not null,
  last_reset bigint not null,
  updated_at timestamptz not null,
  primary key (project_id, collector)
);
select guard_project_table('collector_detectors');
`);
