import type { Db } from '@flotilla/db';
import { type SqlBool, sql } from 'kysely';
import type { SeenDetails } from './model/comparison.ts';

const CHUNK = 2000;
const HOSTS_MAX = 1000;

/** Confirmed operations that were seen since then, in parts. Row-level security leaves out those that the caller may not see. */
export async function* readSeen(db: Db, projectId: string, since: Date) {
  for (let after = ''; ; ) {
    const rows = await selectSeen(db, projectId)
      .where('o.last_seen', '>=', since)
      .where('o.id', '>', after)
      .orderBy('o.id')
      .limit(CHUNK)
      .execute();
    if (rows.length > 0) yield rows;
    if (rows.length < CHUNK) return;
    after = rows.at(-1)?.id ?? '';
  }
}

export async function findSeen(db: Db, projectId: string, id: string) {
  return selectSeen(db, projectId).where('o.id', '=', id).executeTakeFirst();
}

function selectSeen(db: Db, projectId: string) {
  return db
    .selectFrom('inventory_operations as o')
    .select(['o.id', 'o.method', 'o.host', 'o.path', 'o.operation', 'o.listeners', 'o.protocols'])
    .select(['o.last_seen', 'o.seen'])
    .where('o.project_id', '=', projectId)
    .where(sql<SqlBool>`o.confirmed and not o.is_other`);
}

/** Status codes and names of query parameters. An operation that was deleted meanwhile is left out. */
export async function readDetails(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SeenDetails>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('inventory_details as d')
    .select([
      'd.operation_id',
      sql<string[]>`array(select jsonb_object_keys(d.state -> 'statuses'))`.as('statuses'),
      sql<string[]>`array(select jsonb_array_elements_text(d.state -> 'sets' -> 'queryNames'))`.as('query_names'),
    ])
    .where('d.project_id', '=', projectId)
    .where(sql<SqlBool>`d.operation_id = any(${[...ids]}::text[])`)
    .execute();
  return new Map(
    rows.map(({ operation_id, statuses, query_names: queryNames }) => [operation_id, { statuses, queryNames }]),
  );
}

/** Hosts of confirmed operations, by name. Jumps from one to the next in the index, so the number of operations does not matter. */
export async function listHosts(db: Db, projectId: string): Promise<string[]> {
  const { rows } = await sql<{ host: string }>`
    with recursive hosts (host) as (
      (select host from inventory_operations where project_id = ${projectId} order by host limit 1)
      union all
      select (select o.host from inventory_operations o where o.project_id = ${projectId} and o.host > hosts.host
        order by o.host limit 1) from hosts where hosts.host is not null
    )
    select host from hosts where host is not null limit ${HOSTS_MAX}`.execute(db);
  return rows.map(({ host }) => host);
}
