import type { Db } from '@flotilla/db';
import { type RawBuilder, sql } from 'kysely';
import { usersOf } from './users-view.ts';

export interface VersionedKey {
  readonly version: string;
  readonly collection: string;
  readonly name: string;
}

export interface ReachedService extends VersionedKey {
  readonly service_id: string;
  readonly service_name: string;
}

/** For each document, the services that a change of it affects, transitively; in order of names. */
export async function findServicesOfDocuments(
  db: Db,
  project: string,
  keys: readonly VersionedKey[],
): Promise<ReachedService[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<ReachedService>`
    with recursive asked as (
      select * from unnest(${keys.map(({ version }) => version)}::text[],
        ${keys.map(({ collection }) => collection)}::text[], ${keys.map(({ name }) => name)}::text[])
        as asked(version, collection, name)
    ), reach(version, collection, name, at_collection, at_name) as (
      select version, collection, name, collection, name from asked
      union
      select reach.version, reach.collection, reach.name, up.collection, up.name
      from reach cross join lateral ${usersOf({ project, version: sql`reach.version`, collection: sql`reach.at_collection`, name: sql`reach.at_name` })} up
    )
    select distinct reach.version, reach.collection, reach.name, r.from_id as service_id, r.from_name as service_name
    from reach join document_references r on r.kind = 'service' and r.project_id = ${project}
      and r.version = reach.version and r.to_collection = reach.at_collection and r.to_name = reach.at_name
    order by service_name
  `.execute(db);
  return rows;
}

/** Condition on a row of `documents`: no service reaches it. */
export function isUnused(project: string): RawBuilder<boolean> {
  return sql<boolean>`(documents.version, documents.collection, documents.name) not in (
    with recursive used(version, collection, name) as (
      select r.version, r.to_collection, r.to_name from document_references r
      where r.project_id = ${project} and r.kind = 'service'
      union
      select used.version, down.collection, down.name
      from used cross join lateral (
        select r.to_collection as collection, r.to_name as name from document_references r
        where r.project_id = ${project} and r.version = used.version
          and r.from_collection = used.collection and r.from_name = used.name and r.kind in ('name', 'ref')
        union all
        select 'virtual_hosts', hosts.name from documents hosts
        where used.collection = 'routes' and hosts.project_id = ${project} and hosts.version = used.version
          and hosts.collection = 'virtual_hosts' and split_part(hosts.name, '/', 1) = used.name
      ) down
    )
    select version, collection, name from used)`;
}
