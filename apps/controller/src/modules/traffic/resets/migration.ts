import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table inventory_resets (
  id bigint generated always as identity primary key,
  project_id uuid not null references projects on delete cascade,
  operations text[],
  created_at timestamptz not null
);
create index inventory_resets_project on inventory_resets (project_id, id);
select guard_project_table('inventory_resets');
`);
