import type { Db } from '@flotilla/db';
import { findUsers } from './reference-store.ts';
import type { Scope } from './store.ts';

/** Documents and services that name this one, at most 100, whether or not the caller may see them. */
export async function findDocumentUsers(
  db: Db,
  scope: Scope,
  key: { readonly collection: string; readonly name: string },
): Promise<Array<{ readonly collection: string; readonly name: string }>> {
  const users = await findUsers(db, scope, [key]);
  return users.map(({ collection, name }) => ({ collection, name }));
}
