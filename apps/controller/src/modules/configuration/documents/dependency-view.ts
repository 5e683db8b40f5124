import { type Collection, fail } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { describeDocument } from './model.ts';
import type { Scope } from './store.ts';

interface EdgeRow {
  readonly from_collection: string;
  readonly from_name: string;
  readonly to_collection: string;
  readonly to_name: string;
  readonly kind: string;
  readonly path: string;
}

/** Larger graphs are truncated, and the answer says so. */
const EDGES_MAX = 5000;

interface Start {
  readonly collection: Collection | 'services' | 'policies';
  readonly name: string;
}

/**
 * Returns what a document, service or policy needs and what needs it, transitively. Reads only the reference index.
 * Throws record.not_found if it neither exists nor is referenced.
 */
export async function readDependencies(db: Db, scope: Scope, start: Start) {
  const { rows } = await sql<EdgeRow>`
    with recursive edges as (
      select * from document_references
      where project_id = ${scope.project} and (version = ${scope.version} or version = '')
        and (from_collection <> 'services' or from_id in (
          select id from services where project_id = ${scope.project} and version = ${scope.version}))
    ), down(collection, name) as (
      select ${start.collection}::text, ${start.name}::text
      union
      select e.to_collection, e.to_name from down join edges e on e.from_collection = down.collection and e.from_name = down.name
    ), up(collection, name) as (
      select ${start.collection}::text, ${start.name}::text
      union
      select e.from_collection, e.from_name from up join edges e on e.to_collection = up.collection and e.to_name = up.name
    )
    select distinct (e.from_collection, e.from_name) = (${start.collection}::text, ${start.name}::text)
        or (e.to_collection, e.to_name) = (${start.collection}::text, ${start.name}::text) as is_direct,
      e.from_collection, e.from_name, e.to_collection, e.to_name, e.kind, e.path from edges e
    where (e.from_collection, e.from_name) in (select * from down)
       or (e.to_collection, e.to_name) in (select * from up)
    order by 1 desc, 2, 3, 4, 5, 7
    limit ${EDGES_MAX + 1}
  `.execute(db);
  const truncated = rows.length > EDGES_MAX;
  if (truncated) rows.pop();
  const keys = new Map<string, { collection: string; name: string }>();
  const add = (collection: string, name: string) => keys.set(`${collection}/${name}`, { collection, name });
  add(start.collection, start.name);
  for (const row of rows) {
    add(row.from_collection, row.from_name);
    add(row.to_collection, row.to_name);
  }
  const types = await findTypes(db, scope, [...keys.values()]);
  // A missing document that something references is shown next to its users.
  if (rows.length === 0 && types.size === 0) throw fail('record.not_found', describeDocument(start, scope.version));
  return {
    nodes: [...keys].map(([id, key]) => ({ id, ...key, type: types.get(id) ?? null, missing: !types.has(id) })),
    edges: rows.map((row) => ({
      from: `${row.from_collection}/${row.from_name}`,
      to: `${row.to_collection}/${row.to_name}`,
      kind: row.kind,
      path: row.path,
    })),
    truncated,
  };
}

async function findTypes(db: Db, scope: Scope, keys: readonly { collection: string; name: string }[]) {
  const { rows } = await sql<{ id: string; type: string | null }>`
    with wanted as (
      select * from unnest(${keys.map(({ collection }) => collection)}::text[], ${keys.map(({ name }) => name)}::text[])
        as wanted(collection, name)
    )
    select d.collection || '/' || d.name as id, d.type from documents d
    where d.project_id = ${scope.project} and d.version = ${scope.version} and (d.collection, d.name) in (select * from wanted)
    union all
    -- Given by a bootstrap: a static cluster or secret.
    select n.collection || '/' || n.name, null from document_names n
    where n.project_id = ${scope.project} and n.version = ${scope.version} and (n.collection, n.name) in (select * from wanted)
    union all
    select 'policies/' || p.name, null from policies p
    where p.project_id = ${scope.project} and ('policies', p.name) in (select * from wanted)
    union all
    select 'services/' || s.name, null from services s
    where s.project_id = ${scope.project} and ('services', s.name) in (select * from wanted)
  `.execute(db);
  const types = new Map<string, string | null>();
  for (const { id, type } of rows) types.set(id, types.get(id) ?? type);
  return types;
}
