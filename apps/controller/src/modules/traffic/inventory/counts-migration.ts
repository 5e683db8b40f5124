import { defineMigration } from '@flotilla/db';

const KEY = [
  'project_id',
  'confirmed',
  'is_other',
  'terms',
  'listeners',
  'risk',
  'posture_risk',
  'active_risk',
  'active_posture_risk',
];
const LISTS: ReadonlySet<string> = new Set(['terms', 'listeners']);
const columns = KEY.join(', ');
const hashOf = (column: string) => `hash_array_extended(${column}, 0)`;
/** An entry of an index has at most 2,704 bytes, and the names of fifty listeners can be longer. */
const indexed = KEY.map((column) => (LISTS.has(column) ? hashOf(column) : column)).join(', ');
const ofRow = (row: string) => KEY.map((column) => `${row}.${column}`).join(', ');
const hashesOf = (row: string) => [...LISTS].map((column) => hashOf(`${row}.${column}`)).join(', ');
const areSame = `(${ofRow('c')}) = (${ofRow('d')}) and (${hashesOf('c')}) = (${hashesOf('d')})`;

/** The rows that a statement changed: each adds or removes one operation. */
const CHANGES = {
  insert: { tables: 'new table as after', rows: `select ${columns}, 1 as n from after` },
  update: {
    tables: 'old table as before new table as after',
    rows: `select ${columns}, 1 as n from after union all select ${columns}, -1 from before`,
  },
  delete: { tables: 'old table as before', rows: `select ${columns}, -1 as n from before` },
};

const triggers = Object.entries(CHANGES).map(
  ([event, { tables, rows }]) => `
create function count_inventory_${event}() returns trigger language plpgsql as $$
declare
  changes inventory_counts[];
begin
  select array_agg(row(${ofRow('c')}, c.n)::inventory_counts) into changes
    from (select ${columns}, sum(n)::int as n from (${rows}) r group by ${columns} having sum(n) <> 0) c;
  if changes is null then return null; end if;
  delete from inventory_counts c using unnest(changes) d
    where ${areSame} and c.operations + d.operations <= 0;
  update inventory_counts c set operations = c.operations + d.operations from unnest(changes) d
    where ${areSame} and d.operations < 0;
  insert into inventory_counts select * from unnest(changes) d where d.operations > 0 order by ${columns}
    on conflict (${indexed}) do update set operations = inventory_counts.operations + excluded.operations;
  return null;
end $$;
create trigger counted_${event} after ${event} on inventory_operations referencing ${tables}
  for each statement execute function count_inventory_${event}();`,
);

/**
 * The number of operations with the same terms, listeners and scores. Triggers keep it, so no statement can forget it; a statement that changes none of these columns
 * writes nothing. Every write of operations holds the lock of the project, so two never change one row. Members of restricted projects do not
 * see it: their operations are counted one by one.
 */
export const countsMigration = defineMigration(`
create table inventory_counts (
  project_id uuid not null references projects on delete cascade,
  confirmed boolean not null,
  is_other boolean not null,
  terms int[] not null,
  listeners text[] not null,
  risk smallint not null,
  posture_risk smallint not null,
  active_risk smallint not null,
  active_posture_risk smallint not null,
  operations int not null
) with (fillfactor=70);
create unique index inventory_counts_key on inventory_counts (${indexed});
select guard_project_table('inventory_counts');
create policy listed on inventory_counts as restrictive for select using ((select scope_reader()) is null);
insert into inventory_counts select ${columns}, count(*) from inventory_operations group by ${columns};
${triggers.join('\n')}
`);
