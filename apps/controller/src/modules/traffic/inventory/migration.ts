import { defineMigration } from '@flotilla/db';

/**
 * `inventory_operations` holds what lists filter and sort by, so that a scan of 100,000 rows is short; everything else of an operation is in
 * `inventory_details`. No index contains a column that traffic changes: updates then stay within a page and change no index.
 */
export const migration = defineMigration(`
create table inventory_projects (
  project_id uuid primary key references projects on delete cascade,
  confirmed int not null default 0,
  attack_surface int not null default 0,
  announced_at timestamptz,
  snapshot_at timestamptz
);
select guard_project_table('inventory_projects');

create table inventory_operations (
  project_id uuid references projects on delete cascade,
  id text collate "C" check (id ~ '^[0-9a-f]{16}$'),
  confirmed boolean not null,
  is_other boolean not null,
  method text not null,
  host text collate "C" not null,
  path text collate "C" not null,
  operation text collate "C" not null,
  first_seen timestamptz not null,
  last_seen timestamptz not null,
  seen bigint not null,
  classes float8[] not null,
  error_rate double precision not null,
  latency_max_ms double precision not null,
  response_bytes bigint not null,
  risk smallint not null,
  posture_risk smallint not null,
  active_risk smallint not null,
  active_posture_risk smallint not null,
  active_until timestamptz,
  flags bigint not null,
  active_flags bigint not null,
  pii int not null,
  active_pii int not null,
  categories int not null,
  schemes int not null,
  protocols int not null,
  auth_posture text not null check (auth_posture in ('authenticated', 'anonymous', 'inconsistent', 'mixed', 'unknown')),
  services uuid[] not null,
  clients uuid[] not null,
  listeners text[] not null,
  search text collate "C" generated always as (lower(host || path || chr(10) || operation)) stored not null,
  primary key (project_id, id)
) with (fillfactor=70);
create index inventory_operations_path on inventory_operations (project_id, host, path);
create index inventory_operations_first on inventory_operations (project_id, first_seen desc, id desc);
create index inventory_operations_search on inventory_operations using gin (project_id, search gin_trgm_ops);
select guard_project_table('inventory_operations');
create policy listed on inventory_operations as restrictive for select using ((select scope_reader()) is null
  or (select reaches_all('service')) or services && (select reached_ids('service')));

create table inventory_details (
  project_id uuid,
  operation_id text collate "C",
  state jsonb not null,
  primary key (project_id, operation_id),
  foreign key (project_id, operation_id) references inventory_operations (project_id, id) on delete cascade
) with (fillfactor=70);
select guard_project_table('inventory_details');
create policy listed on inventory_details as restrictive for select using ((select scope_reader()) is null
  or exists (select 1 from inventory_operations o where o.project_id = inventory_details.project_id
    and o.id = inventory_details.operation_id));

create table inventory_merges (
  project_id uuid references projects on delete cascade,
  operation_id text collate "C",
  target_id text collate "C" not null,
  merged_at timestamptz not null,
  primary key (project_id, operation_id)
);
create index inventory_merges_time on inventory_merges (merged_at);
select guard_project_table('inventory_merges');

create table inventory_marks (
  project_id uuid references projects on delete cascade,
  client_id uuid,
  service_id uuid,
  epoch text collate "C",
  sequence bigint not null,
  seen_at timestamptz not null,
  primary key (client_id, service_id, epoch)
) with (fillfactor=70);
create index inventory_marks_project on inventory_marks (project_id);
select guard_project_table('inventory_marks');

create table inventory_gaps (
  project_id uuid references projects on delete cascade,
  minute timestamptz,
  service_id uuid,
  client_id uuid,
  batches bigint not null check (batches > 0),
  primary key (project_id, minute, service_id, client_id)
);
create index inventory_gaps_minute on inventory_gaps (minute);
select guard_project_table('inventory_gaps');
select list_parts('inventory_gaps', 'service', 'service_id');

create table inventory_snapshots (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  at timestamptz not null,
  kind text not null check (kind in ('daily', 'manual')),
  taken_by text not null,
  operation_count int not null
);
create index inventory_snapshots_newest on inventory_snapshots (project_id, at desc, id desc);
select guard_project_table('inventory_snapshots');

create table inventory_snapshot_operations (
  project_id uuid not null,
  snapshot_id uuid references inventory_snapshots on delete cascade,
  operation_id text collate "C",
  method text not null,
  host text collate "C" not null,
  path text collate "C" not null,
  operation text collate "C" not null,
  last_seen timestamptz not null,
  auth_posture text not null,
  schemes int not null,
  active_flags bigint not null,
  pii int not null,
  active_risk smallint not null,
  errors smallint[] not null,
  services uuid[] not null,
  primary key (snapshot_id, operation_id)
);
create index inventory_snapshot_operations_project on inventory_snapshot_operations (project_id);
select guard_project_table('inventory_snapshot_operations');
create policy listed on inventory_snapshot_operations as restrictive for select using ((select scope_reader()) is null
  or (select reaches_all('service')) or services && (select reached_ids('service')));
`);
