import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import type { Scope } from './store.ts';
import { usersOf } from './users-view.ts';

/** Services that a change of these documents affects, transitively. */
export async function findReachedServices(
  db: Db,
  scope: Scope,
  keys: readonly { collection: string; name: string }[],
): Promise<{ id: string; name: string }[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<{ id: string; name: string }>`
    with recursive reach(collection, name) as (
      select * from unnest(${keys.map((key) => key.collection)}::text[], ${keys.map((key) => key.name)}::text[])
      union
      select up.collection, up.name
      from reach cross join lateral ${usersOf({ ...scope, collection: sql`reach.collection`, name: sql`reach.name` })} up
    )
    select distinct r.from_id as id, r.from_name as name
    from reach join document_references r on r.kind = 'service' and r.project_id = ${scope.project}
      and r.version = ${scope.version} and r.to_collection = reach.collection and r.to_name = reach.name
    order by 2
  `.execute(db);
  return rows;
}
