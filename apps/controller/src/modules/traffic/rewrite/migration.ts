import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
alter table inventory_merges add constraint inventory_merges_other check (operation_id <> target_id);
create index inventory_merges_target on inventory_merges (project_id, target_id);

alter table collector_learners add column collector text collate "C" not null default '';
alter table collector_learners alter column collector drop default;
alter table collector_learners drop constraint collector_learners_pkey;
alter table collector_learners add primary key (project_id, collector);

create table inventory_rewrites (
  job_id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  job_number int not null,
  applies boolean not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  position text collate "C" not null,
  scanned int not null,
  moved int not null,
  merged int not null,
  split int not null,
  renamings jsonb not null
);
create index inventory_rewrites_newest on inventory_rewrites (project_id, started_at desc);
select guard_project_table('inventory_rewrites');
`);
