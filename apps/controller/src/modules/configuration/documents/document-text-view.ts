import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { escapeLike } from '../../../platform/database/paging.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { decryptPartsText } from './private-parts.ts';
import { type DocumentKey, isOneOf, type Scope } from './store.ts';

/**
 * Reads stored documents without parsing their resources. The result includes documents that some members may not see.
 */
export async function findDocumentTexts(db: Db, scope: Scope, keys: readonly DocumentKey[]) {
  if (keys.length === 0) return [];
  return selectTexts(db, scope)
    .where(isOneOf(keys, 'collection', 'name'))
    .execute();
}

/** All virtual hosts of a route configuration. */
export async function findVirtualHostTexts(db: Db, scope: Scope, routes: string) {
  return selectTexts(db, scope)
    .where('collection', '=', 'virtual_hosts')
    .where('name', 'like', `${escapeLike(routes)}/%`)
    .execute();
}

export type DocumentTextRow = Awaited<ReturnType<typeof findDocumentTexts>>[number];

/** The private values of a row as JSON text; undefined if it has none. Throws if they cannot be decrypted. */
export function openPartsText(keyring: Keyring, { id, sealed }: DocumentTextRow): string | undefined {
  return decryptPartsText(keyring, id, sealed);
}

function selectTexts(db: Db, scope: Scope) {
  return db
    .selectFrom('documents')
    .select(['id', 'collection', 'name', 'type', 'revision', 'host_access', 'sealed'])
    .select(sql<string>`resource::text`.as('text'))
    .where('project_id', '=', scope.project)
    .where('version', '=', scope.version);
}
