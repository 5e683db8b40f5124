import { defineMigration } from '@flotilla/db';

/**
 * Lists in any order and with any filter. An index with `last_seen` itself would change with every batch, and with it every other index of the row. The coarse columns
 * change seldom (`seen_slot` every ten minutes at most), and the rows of one value are sorted when they are read. `terms` has what filters select by: see model/terms.ts. All of these columns
 * follow from others, so no statement can forget them.
 */
export const orderMigration = defineMigration(`
-- The numbers are those of model/terms.ts.
create function inventory_terms(flags bigint, active_flags bigint, pii int, active_pii int, categories int, schemes int, protocols int,
  method text, auth_posture text) returns int[] language plpgsql immutable parallel safe as $$
declare
  terms int[] := array[
    699 + array_position(array['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'OTHER'], method),
    799 + array_position(array['authenticated', 'anonymous', 'inconsistent', 'mixed', 'unknown'], auth_posture)];
  sets bigint[] := array[flags, active_flags, pii, active_pii, categories, schemes, protocols];
  rest bigint;
  term int;
begin
  for i in 1..7 loop
    rest := sets[i];
    term := 100 * (i - 1);
    while rest > 0 loop
      if rest & 1 = 1 then terms := terms || term; end if;
      rest := rest >> 1;
      term := term + 1;
    end loop;
  end loop;
  return terms;
end $$;

alter table inventory_operations
  add column seen_slot int generated always as (floor(extract(epoch from last_seen at time zone 'UTC') / 600)::int) stored not null,
  add column seen_class smallint generated always as (floor(ln(greatest(seen, 0)::float8 + 1) * 8)::smallint) stored not null,
  add column error_class smallint generated always as 
    (case when error_rate > 0 then greatest(1, 60 + floor(ln(least(error_rate, 1)) * 4))::smallint else 0 end) stored not null,
  add column terms int[] generated always as
    (inventory_terms(flags, active_flags, pii, active_pii, categories, schemes, protocols, method, auth_posture)) stored not null;

create index inventory_operations_recent on inventory_operations (project_id, confirmed, seen_slot desc);
create index inventory_operations_frequent on inventory_operations (project_id, confirmed, seen_class desc);
create index inventory_operations_failing on inventory_operations (project_id, confirmed, error_class desc);
-- A maximum changes ever less often.
create index inventory_operations_slow on inventory_operations (project_id, confirmed, latency_max_ms desc, id desc);
create index inventory_operations_risk on inventory_operations (project_id, confirmed, risk desc, id desc);
create index inventory_operations_active_risk on inventory_operations (project_id, confirmed, active_risk desc, id desc);
create index inventory_operations_posture on inventory_operations (project_id, confirmed, posture_risk desc, id desc);
create index inventory_operations_active_posture on inventory_operations (project_id, confirmed, active_posture_risk desc, id desc);
create index inventory_operations_by_path on inventory_operations (project_id, confirmed, path, id);
-- Readers go through the list of entries that are not in the tree yet, so it has to be short.
create index inventory_operations_terms on inventory_operations using gin (project_id, terms, services, clients)
  with (gin_pending_list_limit = 256);

-- As in row-scope: this operator cannot reveal rows through its errors, for arrays of numbers and ids, and the index of terms needs that. Only a superuser
-- may declare it; without it, a filter reads the operations of its project.
do $$ begin
  if (select rolsuper from pg_roles where rolname = current_user) then
    alter function arrayoverlap(anyarray, anyarray) leakproof;
  end if;
end $$;
`);
