import { defineMigration } from '@flotilla/db';

/**
 * A finding outlives its operation, so it has a copy of its name and services and refers to no row of the catalogue. No index contains a column that a
 * sighting changes: such an update stays within a page.
 */
export const migration = defineMigration(`
create table inventory_findings (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  operation_id text collate "C" not null check (operation_id ~ '^[0-9a-f]{16}$'),
  flag text collate "C" not null,
  rank smallint not null check (rank between 0 and 3),
  method text not null,
  host text collate "C" not null,
  path text collate "C" not null,
  operation text collate "C" not null,
  services uuid[] not null,
  state text not null check (state in ('new', 'came_back', 'acknowledged', 'fix_claimed', 'accepted', 'fixed', 'operation_gone')),
  state_since timestamptz not null,
  state_by text,
  reason text,
  accepted_until timestamptz,
  owner_id uuid,
  first_seen timestamptz not null,
  last_seen timestamptz not null,
  sightings bigint not null,
  starts_at timestamptz not null,
  starts_with text not null check (starts_with in ('sighting', 'reset', 'merge')),
  base bigint not null,
  reset_at timestamptz not null,
  widest_gap_s bigint not null,
  revision bigint not null default 1,
  check ((state = 'accepted') = (accepted_until is not null)),
  unique (project_id, operation_id, flag)
) with (fillfactor = 80);
create index inventory_findings_worst on inventory_findings (project_id, rank, state_since, id);
create index inventory_findings_waiting on inventory_findings (project_id, rank, state_since, id)
  where state in ('new', 'came_back');
create index inventory_findings_expiry on inventory_findings (accepted_until) where state = 'accepted';
create index inventory_findings_owner on inventory_findings (project_id, owner_id) where owner_id is not null;
create index inventory_findings_ended on inventory_findings (state_since) where state in ('fixed', 'operation_gone');
select guard_project_table('inventory_findings');
create policy listed on inventory_findings as restrictive for select using ((select scope_reader()) is null
  or (select reaches_all('service')) or services && (select reached_ids('service')));

create table inventory_finding_history (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  finding_id uuid not null references inventory_findings on delete cascade,
  at timestamptz not null,
  kind text not null check (kind in ('opened', 'state', 'owner', 'comment', 'moved')),
  from_value text,
  to_value text,
  by_name text,
  note text
);
create index inventory_finding_history_newest on inventory_finding_history (finding_id, at desc, id desc);
create index inventory_finding_history_project on inventory_finding_history (project_id);
select guard_project_table('inventory_finding_history');
create policy listed on inventory_finding_history as restrictive for select using ((select scope_reader()) is null
  or exists (select 1 from inventory_findings f where f.id = inventory_finding_history.finding_id));

-- The progress of the comparison with the catalogue.
create table inventory_finding_passes (
  project_id uuid primary key references projects on delete cascade,
  after_id text collate "C",
  is_sweep boolean not null,
  since timestamptz not null,
  started_at timestamptz not null,
  compared_at timestamptz,
  swept_at timestamptz
);
select guard_project_table('inventory_finding_passes');

-- Members of a restricted project see an alert about a finding if they may see the finding.
drop policy listed on alerts;
do $$ begin
  execute format('create policy listed on alerts as restrictive for select using ((select scope_reader()) is null
    or case subject_kind when ''service'' then %s when ''client'' then %s when ''document'' then %s
      when ''finding'' then exists (select 1 from inventory_findings f where f.id = alerts.subject_id) else true end)',
    reached_rows('service', 'subject_id'), reached_rows('client', 'subject_id'), reached_rows('document', 'subject_id'));
end $$;
`);
