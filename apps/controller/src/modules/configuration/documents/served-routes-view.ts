import { createHash } from 'node:crypto';
import type { Db } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import { sql } from 'kysely';

/** A document from which a listener of a service gets its routes. */
export interface ServedRouteDocument {
  readonly collection: string;
  readonly name: string;
  readonly resource: JsonObject;
}

/** A listener as services use it: its own document comes first, then everything that may contain its routes. */
export interface ServedListener {
  readonly listener: string;
  readonly services: readonly string[];
  readonly documents: readonly ServedRouteDocument[];
}

interface Row {
  readonly version: string;
  readonly listener: string;
  readonly collection: string;
  readonly name: string;
  readonly revision: number;
  readonly id: string;
  readonly services: string[];
}

/** Changes with everything that `loadServedListeners` returns. */
export async function readServedListenersVersion(db: Db, project: string): Promise<string> {
  const hash = createHash('sha256');
  for (const { version, listener, collection, name, revision, services } of await listRows(db, project))
    hash.update(JSON.stringify([version, listener, collection, name, revision, services]));
  return hash.digest('base64url').slice(0, 22);
}

/** The listeners of the services of a project, with the documents of their routes. Private values are missing from them. */
export async function loadServedListeners(db: Db, project: string): Promise<ServedListener[]> {
  const rows = await listRows(db, project);
  const ids = [...new Set(rows.map(({ id }) => id))];
  const found =
    ids.length === 0
      ? []
      : await db.selectFrom('documents').select(['id', 'resource']).where('id', 'in', ids).execute();
  const resources = new Map(found.map(({ id, resource }) => [id, resource as JsonObject]));
  return [...Map.groupBy(rows, ({ version, listener }) => JSON.stringify([version, listener])).values()].map(
    (group) => ({
      listener: group[0]?.listener ?? '',
      services: group[0]?.services ?? [],
      documents: group.flatMap(({ collection, name, id }) => {
        const resource = resources.get(id);
        return resource === undefined ? [] : [{ collection, name, resource }];
      }),
    }),
  );
}

async function listRows(db: Db, project: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    with recursive used(version, listener, collection, name) as (
      select r.version, r.to_name, r.to_collection, r.to_name from document_references r
      where r.project_id = ${project} and r.kind = 'service' and r.to_collection = 'listeners'
      union
      select used.version, used.listener, down.collection, down.name
      from used cross join lateral (
        select r.to_collection as collection, r.to_name as name from document_references r
        where r.project_id = ${project} and r.version = used.version and r.from_collection = used.collection
          and r.from_name = used.name and r.kind in ('name', 'ref')
          and r.to_collection in ('routes', 'virtual_hosts', 'filters', 'extensions')
        union all
        select 'virtual_hosts', hosts.name from documents hosts
        where used.collection = 'routes' and hosts.project_id = ${project} and hosts.version = used.version
          and hosts.collection = 'virtual_hosts' and split_part(hosts.name, '/', 1) = used.name
      ) down
    ), serving as (
      select r.version, r.to_name as listener, array_agg(distinct r.from_id::text order by r.from_id::text) as services
      from document_references r
      where r.project_id = ${project} and r.kind = 'service' and r.to_collection = 'listeners'
      group by r.version, r.to_name
    )
    select used.version, used.listener, used.collection, used.name, d.revision, d.id::text as id, serving.services
    from used
    join serving on serving.version = used.version and serving.listener = used.listener
    join documents d on d.project_id = ${project} and d.version = used.version and d.collection = used.collection
      and d.name = used.name
    order by used.version, used.listener, used.collection, used.name`.execute(db);
  return rows;
}
