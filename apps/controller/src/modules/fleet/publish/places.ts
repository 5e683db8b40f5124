import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/envoy-api';
import type { StoredDocument } from '../../configuration/public.ts';

/** A virtual host where it is stored. */
export interface Place {
  readonly document: StoredDocument;
  /** Its position in the route configuration; undefined: the document is the virtual host. */
  readonly index: number | undefined;
  readonly host: JsonObject;
}

/** The virtual hosts of a route configuration, or the one that the document is. */
export function listPlaces(document: StoredDocument): Place[] {
  if (document.collection === 'virtual_hosts') return [{ document, index: undefined, host: document.resource }];
  return listOf(document.resource.virtual_hosts).flatMap((host, index) =>
    isJsonObject(host) ? [{ document, index, host }] : [],
  );
}

/** Domains of a virtual host that are this host, with or without a port. */
export function isDomainOf(domain: JsonValue, host: string): boolean {
  const name = String(domain).toLowerCase();
  return name === host || name.replace(/(?<=^[^:]*|\]):\d+$/, '') === host;
}

/** The path of a route that depends on nothing else. */
export function prefixOf(route: JsonValue): string | undefined {
  const match = isJsonObject(route) && isJsonObject(route.match) ? route.match : {};
  const [kind, ...others] = Object.keys(match).filter((key) => key !== 'case_sensitive');
  if (others.length > 0 || (kind !== 'prefix' && kind !== 'path_separated_prefix')) return undefined;
  return String(match[kind]).replace(/(?<=[^/])\/$/, '');
}

/** The only cluster of a route. */
export function clusterOf(route: JsonValue): string | undefined {
  const action = isJsonObject(route) ? route.route : undefined;
  return isJsonObject(action) && typeof action.cluster === 'string' ? action.cluster : undefined;
}

/** The document without some items of a list of the virtual host. Comments stay at their items. */
export function removeItems(place: Place, list: 'domains' | 'routes', indexes: readonly number[]): StoredDocument {
  const gone = new Set(indexes);
  const kept = listOf(hostIn(place)[list]).filter((_, i) => !gone.has(i));
  return replaceList(place, { list, items: kept }, (position) =>
    gone.has(position) ? undefined : position - indexes.filter((index) => index < position).length,
  );
}

/** The document with an item before the one at `at`. Comments stay at their items. */
export function insertItem(
  place: Place,
  list: 'domains' | 'routes',
  { at, item }: { readonly at: number; readonly item: JsonValue },
): StoredDocument {
  const items = listOf(hostIn(place)[list]).toSpliced(at, 0, item);
  return replaceList(place, { list, items }, (position) => (position >= at ? position + 1 : position));
}

/** `move` returns where an item of the list is afterwards; undefined: it is gone, with its comments. */
function replaceList(
  { document, index, ...place }: Place,
  { list, items }: { readonly list: string; readonly items: readonly JsonValue[] },
  move: (position: number) => number | undefined,
): StoredDocument {
  const host = { ...hostIn({ document, index, ...place }), [list]: [...items] };
  const prefix = index === undefined ? [list] : ['virtual_hosts', index, list];
  const comments = document.comments.flatMap((comment) => {
    const { path } = comment;
    const position = path[prefix.length];
    if (!prefix.every((part, i) => path[i] === part) || typeof position !== 'number') return [comment];
    const moved = move(position);
    return moved === undefined ? [] : [{ ...comment, path: path.with(prefix.length, moved) }];
  });
  const resource =
    index === undefined
      ? host
      : { ...document.resource, virtual_hosts: listOf(document.resource.virtual_hosts).with(index, host) };
  return { ...document, resource, comments };
}

/** The virtual host as the document has it, which may have changed since the place was found. */
function hostIn({ document, index, host }: Place): JsonObject {
  const stored = index === undefined ? document.resource : listOf(document.resource.virtual_hosts)[index];
  return isJsonObject(stored) ? stored : host;
}

export function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
