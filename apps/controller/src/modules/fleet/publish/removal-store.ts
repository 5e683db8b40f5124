import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import type { Scope } from '../../configuration/public.ts';
import { PUBLISHED_LABEL } from './documents.ts';

type Collection = 'routes' | 'virtual_hosts' | 'clusters' | 'listeners';

interface Key {
  readonly collection: Collection;
  readonly name: string;
}

/**
 * Virtual hosts and route configurations that may serve one of the hosts, and documents that were published for one; of all
 * versions.
 */
export async function findCandidates(
  db: Db,
  project: string,
  hosts: readonly string[],
): Promise<Array<Key & { readonly version: string; readonly label: string | null }>> {
  const { rows } = await sql<Key & { version: string; label: string | null }>`
    select version, collection, name, labels->>${PUBLISHED_LABEL} as label from documents
    where project_id = ${project}
      and (split_part(labels->>${PUBLISHED_LABEL}, '/', 1) = any(${[...hosts]}::text[])
        or (collection in ('virtual_hosts', 'routes') and exists (
          select from unnest(${[...hosts]}::text[]) as host where strpos(lower(resource::text), '"' || host) > 0)))
    order by collection, name`.execute(db);
  return rows;
}

/** Names of published clusters to which these documents refer. */
export async function findPublishedClusters(db: Db, scope: Scope, keys: readonly Key[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct clusters.name from unnest(${keys.map(({ collection }) => collection)}::text[],
        ${keys.map(({ name }) => name)}::text[]) as asked(collection, name)
      join document_references r on r.from_collection = asked.collection and r.from_name = asked.name
        and r.project_id = ${scope.project} and r.version = ${scope.version} and r.to_collection = 'clusters'
      join documents clusters on clusters.project_id = r.project_id and clusters.version = r.version
        and clusters.collection = 'clusters' and clusters.name = r.to_name
    where clusters.labels->>${PUBLISHED_LABEL} is not null`.execute(db);
  return rows.map(({ name }) => name);
}

/** Whether publishing created the service: in the transaction that created one of these listeners. */
export async function isPublishedService(
  db: Db,
  scope: Scope,
  { serviceId, listeners }: { readonly serviceId: string; readonly listeners: readonly string[] },
): Promise<boolean> {
  const { rows } = await sql`
    select from services join documents on documents.project_id = services.project_id
        and documents.created_at = services.created_at
    where services.id = ${serviceId} and documents.project_id = ${scope.project} and documents.version = ${scope.version}
      and documents.collection = 'listeners' and documents.name = any(${[...listeners]}::text[])
      and documents.labels->>${PUBLISHED_LABEL} is not null`.execute(db);
  return rows.length > 0;
}
