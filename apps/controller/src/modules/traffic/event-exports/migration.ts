import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
-- The end of the stream of a project that has exports: nothing is noted for the others. An arrival takes the next position under
-- a lock of this row, so that positions become visible in their order.
create table event_export_heads (
  project_id uuid primary key references projects on delete cascade,
  position bigint not null default 0,
  -- Events of all arrivals up to here.
  total bigint not null default 0
);
select guard_project_table('event_export_heads');

-- What arrived, in the order in which it arrived: batches of the event store, or findings of filters.
create table event_arrivals (
  project_id uuid references projects on delete cascade,
  position bigint,
  kind text not null check (kind in ('requests', 'findings')),
  events int not null check (events > 0),
  total bigint not null,
  -- requests: {batches, from, to}; findings: {ids}
  parts jsonb not null,
  arrived_at timestamptz not null,
  primary key (project_id, position)
);
create index event_arrivals_time on event_arrivals (arrived_at);
select guard_project_table('event_arrivals');

create table event_exports (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  enabled boolean not null,
  target jsonb not null,
  selection jsonb not null,
  sealed bytea,
  secret_updated_at timestamptz,
  -- The last arrival that was looked at; with a cursor, part of the next one was.
  position bigint not null,
  cursor text,
  total bigint not null,
  total_at_start bigint not null,
  sent_events bigint not null default 0,
  lost_events bigint not null default 0,
  lost_at timestamptz,
  delivered_at timestamptz,
  failing_since timestamptz,
  failures int not null default 0,
  retry_at timestamptz,
  last_error text,
  holder uuid,
  leased_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by text not null,
  revision bigint not null default 1
);
create unique index event_exports_name on event_exports (project_id, lower(name));
select guard_project_table('event_exports');
select guard_sealed_column('event_exports', 'sealed');

create function note_arrival(project uuid, what text, amount int, of_what jsonb) returns void language sql as $$
  with moved as (
    update event_export_heads set position = position + 1, total = total + amount where project_id = project
    returning position, total
  )
  insert into event_arrivals (project_id, position, kind, events, total, parts, arrived_at)
  select project, moved.position, what, amount, moved.total, of_what, clock_timestamp() from moved
$$;

create function note_findings() returns trigger language plpgsql as $$
declare
  found record;
begin
  -- In one order everywhere: arrivals of several projects lock several rows.
  for found in select changes.project_id, count(*)::int as amount, jsonb_agg(changes.id order by changes.id) as ids
    from changes join event_export_heads using (project_id) group by changes.project_id order by changes.project_id
  loop
    perform note_arrival(found.project_id, 'findings', found.amount, jsonb_build_object('ids', found.ids));
  end loop;
  return null;
end
$$;
create trigger shield_events_exported after insert on shield_events referencing new table as changes
  for each statement execute function note_findings();
`);
