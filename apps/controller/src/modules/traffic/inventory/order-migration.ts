import { defineMigration } from '@flotilla/db';

/**
 * Lists in an order that traffic changes: an index with `last_seen` itself would change with every batch, and with it every other index of the row. The
 * coarse columns change seldom, and the rows of one value are sorted when they are read. `terms` has what filters select by: see model/terms.ts.
 */
export const orderMigration = defineMigration(`
alter table inventory_operations
  add column seen_hour int generated always as (floor(extract(epoch from last_seen at time zone 'UTC') / 3600)::int) stored not null,
  add column seen_class smallint generated always as (floor(ln(greatest(seen, 0)::float8 + 1) * 8)::smallint) stored not null,
  add column error_class smallint generated always as (ceil(least(greatest(error_rate, 0), 1) * 50)::smallint) stored not null,
  add column latency_class smallint generated always as (floor(ln(greatest(latency_max_ms, 0) + 1) * 4)::smallint) stored not null,
  add column terms int[] not null default '{}';

update inventory_operations o set terms = array(
  select v.first + bit from (values (0, o.flags), (100, o.active_flags), (200, o.pii::bigint), (300, o.active_pii::bigint),
    (400, o.categories::bigint), (500, o.schemes::bigint), (600, o.protocols::bigint)) as v(first, bits), generate_series(0, 62) bit
  where v.bits >> bit & 1 = 1
  union all select 699 + array_position(array['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'OTHER'], o.method)
  union all select 799 + array_position(array['authenticated', 'anonymous', 'inconsistent', 'mixed', 'unknown'], o.auth_posture));
alter table inventory_operations alter column terms drop default;

create index inventory_operations_recent on inventory_operations (project_id, confirmed, seen_hour desc);
create index inventory_operations_frequent on inventory_operations (project_id, confirmed, seen_class desc);
create index inventory_operations_failing on inventory_operations (project_id, confirmed, error_class desc);
create index inventory_operations_slow on inventory_operations (project_id, confirmed, latency_class desc);
create index inventory_operations_risk on inventory_operations (project_id, confirmed, risk desc, id desc);
create index inventory_operations_active_risk on inventory_operations (project_id, confirmed, active_risk desc, id desc);
create index inventory_operations_posture on inventory_operations (project_id, confirmed, posture_risk desc, id desc);
create index inventory_operations_active_posture on inventory_operations (project_id, confirmed, active_posture_risk desc, id desc);
create index inventory_operations_terms on inventory_operations using gin (project_id, terms, services, clients);

-- As in row-scope: this operator cannot reveal rows through its errors, and the index of terms needs that. Only a superuser may declare it; without it, a filter
-- reads the operations of its project.
do $$ begin
  if (select rolsuper from pg_roles where rolname = current_user) then
    alter function arrayoverlap(anyarray, anyarray) leakproof;
  end if;
end $$;
`);
