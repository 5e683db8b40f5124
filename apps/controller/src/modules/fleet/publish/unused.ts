import { AppError } from '@flotilla/kit';
import type { Reader } from '../../../platform/auth/index.ts';
import { findDocumentUsers, findStoredDocuments, type StoredDocument } from '../../configuration/public.ts';
import { PUBLISHED_LABEL } from './documents.ts';
import { readListener } from './listener-facts.ts';
import type { Look } from './target.ts';
import { listInlineHosts } from './virtual-hosts.ts';

/** A route configuration without virtual hosts, with the listeners that take their routes from it and nothing else. */
export interface EmptyRoutes {
  readonly routes: StoredDocument;
  readonly listeners: readonly StoredDocument[];
}

/**
 * Those of the published route configurations that serve nothing any more, unless something that was not published uses them.
 * `warnings` names these.
 */
export async function findEmptyRoutes(
  { db, scope, reader }: Look,
  names: readonly string[],
): Promise<{ empty: EmptyRoutes[]; warnings: string[] }> {
  const empty: EmptyRoutes[] = [];
  const warnings: string[] = [];
  const keys = names.map((name) => ({ collection: 'routes', name }) as const);
  // Virtual hosts that the member may not see count, too.
  const stored = keys.length === 0 ? [] : await findStoredDocuments(db, scope, { keys, reader: undefined });
  for (const routes of stored) {
    if (routes.labels[PUBLISHED_LABEL] === undefined || listInlineHosts(routes).length > 0) continue;
    const users = await findDocumentUsers(db, scope, routes);
    if (users.some(({ collection }) => collection === 'virtual_hosts')) continue;
    const own = users.filter(({ collection }) => collection === 'listeners');
    const listeners = await readListeners({ db, scope }, [...new Set(own.map(({ name }) => name))]);
    const other = own.length < users.length ? users.find(({ collection }) => collection !== 'listeners') : undefined;
    const edited = listeners.find((listener) => !isOnlyFor(listener, routes.name));
    const user = other ?? edited;
    if (user) warnings.push(describeKept(`routes/${routes.name}`, user, reader));
    else empty.push({ routes, listeners });
  }
  return { empty, warnings };
}

async function readListeners({ db, scope }: Pick<Look, 'db' | 'scope'>, names: readonly string[]) {
  const keys = names.map((name) => ({ collection: 'listeners', name }) as const);
  return keys.length === 0 ? [] : findStoredDocuments(db, scope, { keys, reader: undefined });
}

/** Publishing created the listener, and it has no routes from elsewhere. */
function isOnlyFor(listener: StoredDocument, routes: string): boolean {
  if (listener.labels[PUBLISHED_LABEL] === undefined) return false;
  try {
    return readListener(listener, []).routes === routes;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return false;
  }
}

/** Those of the clusters that nothing uses. `warnings` names users of those that lost a route. */
export async function findUnusedClusters(
  { db, scope, reader }: Look,
  names: readonly string[],
  routed: ReadonlySet<string>,
): Promise<{ unused: string[]; warnings: string[] }> {
  const unused: string[] = [];
  const warnings: string[] = [];
  for (const name of names) {
    const [user] = await findDocumentUsers(db, scope, { collection: 'clusters', name });
    if (!user) unused.push(name);
    else if (routed.has(name)) warnings.push(describeKept(`clusters/${name}`, user, reader));
  }
  return { unused, warnings };
}

/** A user that the member may not see is not named. */
function describeKept(
  kept: string,
  user: { readonly collection: string; readonly name: string },
  reader: Reader | undefined,
) {
  return `${kept} stays, because ${reader ? 'something else' : `${user.collection}/${user.name}`} uses it.`;
}
