import type { Collection } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import { listReached, type Reader } from '../../../platform/auth/index.ts';
import { escapeLike } from '../../../platform/database/paging.ts';
import { isOneOf, type Scope } from './store.ts';
import type { CommentEntry } from './tables.ts';

/** A document without its private values. */
export interface StoredDocument {
  readonly collection: Collection;
  readonly name: string;
  readonly type: string;
  readonly revision: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly comments: readonly CommentEntry[];
  readonly resource: JsonObject;
}

interface Question {
  readonly keys?: readonly { readonly collection: Collection; readonly name: string }[];
  /** Also all virtual hosts of this route configuration. */
  readonly hostsOf?: string;
  /** Omits what this member may not see. */
  readonly reader: Reader | undefined;
}

export async function findStoredDocuments(
  db: Db,
  scope: Scope,
  { keys = [], hostsOf, reader }: Question,
): Promise<StoredDocument[]> {
  const rows = await db
    .selectFrom('documents')
    .select(['id', 'collection', 'name', 'type', 'revision', 'labels', 'comments', 'resource'])
    .where('project_id', '=', scope.project)
    .where('version', '=', scope.version)
    .where(({ or, and, eb }) =>
      or([
        ...(keys.length > 0 ? [isOneOf(keys, 'collection', 'name')] : []),
        ...(hostsOf === undefined
          ? []
          : [and([eb('collection', '=', 'virtual_hosts'), eb('name', 'like', `${escapeLike(hostsOf)}/%`)])]),
      ]),
    )
    .orderBy('name')
    .execute();
  const ids = rows.map(({ id }) => id);
  const seen = reader && (await listReached(db, reader, { kind: 'document', ids, level: 'view' }));
  return rows
    .filter(({ id }) => seen?.has(id) !== false)
    .map(({ id: _, ...row }) => ({
      ...row,
      collection: row.collection as Collection,
      resource: row.resource as JsonObject,
    }));
}

/** Those of the names that documents of the collection have or define. Reveals no more than a failed write would. */
export async function findTakenNames(
  db: Db,
  scope: Scope,
  { collection, names }: { readonly collection: Collection; readonly names: readonly string[] },
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('document_names')
    .select('name')
    .where('project_id', '=', scope.project)
    .where('version', '=', scope.version)
    .where('collection', '=', collection)
    .where('name', 'in', names)
    .execute();
  return new Set(rows.map(({ name }) => name));
}
