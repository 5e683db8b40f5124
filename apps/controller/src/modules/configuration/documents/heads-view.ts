import type { Db } from '@flotilla/db';
import { type DocumentKey, isOneOf, type Scope } from './store.ts';

/** Returns the id and revision of those documents that exist. */
export async function findDocumentHeads(db: Db, scope: Scope, keys: readonly DocumentKey[]) {
  if (keys.length === 0) return [];
  return db
    .selectFrom('documents')
    .select(['id', 'collection', 'name', 'revision', 'updated_at'])
    .where('project_id', '=', scope.project)
    .where('version', '=', scope.version)
    .where(isOneOf(keys, 'collection', 'name'))
    .execute();
}
