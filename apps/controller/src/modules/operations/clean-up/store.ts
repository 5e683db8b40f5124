import type { CleanUpMode, Collection } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import type { Scope } from '../../configuration/public.ts';

export interface OldDocument {
  readonly id: string;
  readonly collection: Collection;
  readonly name: string;
  readonly revision: number;
}

export interface Blocker {
  readonly kind: string;
  readonly name: string;
  readonly reason: string;
}

const BLOCKERS_MAX = 100;

const IS_DEFAULT = sql<boolean>`labels @> '{"is_default":"true"}'::jsonb`;

/** Never returns listeners, which block the clean-up. */
export async function listOldDocuments(db: Db, scope: Scope, mode: CleanUpMode): Promise<OldDocument[]> {
  const rows = await db
    .selectFrom('documents')
    .select(['id', 'collection', 'name', 'revision'])
    .where('project_id', '=', scope.project)
    .where('version', '=', scope.version)
    .where('collection', '!=', 'listeners')
    .$if(mode === 'default-only', (query) => query.where(IS_DEFAULT))
    .$if(mode === 'non-default-only', (query) => query.where(({ not }) => not(IS_DEFAULT)))
    .orderBy('collection')
    .orderBy('name')
    .execute();
  return rows as OldDocument[];
}

/** Users of the version, and remaining documents that use one of these documents. */
export async function listBlockers(db: Db, scope: Scope, ids: readonly string[]): Promise<Blocker[]> {
  const { rows } = await sql<Blocker>`
    select * from (
      select 'services' as kind, name, 'uses this version' as reason from services
      where project_id = ${scope.project} and version = ${scope.version}
      union all
      select collection, name, 'is a listener of this version' from documents
      where project_id = ${scope.project} and version = ${scope.version} and collection = 'listeners'
      union all
      select distinct r.from_collection, r.from_name, 'stays and uses ' || r.to_collection || '/' || r.to_name
      from document_references r
      join document_names n on n.project_id = r.project_id and n.version = r.version
        and n.collection = r.to_collection and n.name = r.to_name
      where r.project_id = ${scope.project} and r.version = ${scope.version}
        and r.from_collection not in ('services', 'listeners')
        and n.document_id = any(${[...ids]}::uuid[]) and r.from_id <> all(${[...ids]}::uuid[])
    ) as blocker (kind, name, reason)
    order by kind, name, reason limit ${BLOCKERS_MAX}`.execute(db);
  return rows;
}
