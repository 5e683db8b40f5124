import { type EnvoyApi, isJsonObject, type JsonObject, type JsonValue, setOwn } from '@flotilla/envoy-api';
import {
  COLLECTION_TYPE,
  findInternalAddresses,
  findReferences,
  NAME_FIELD,
  splitVirtualHostName,
  toNormalForm,
} from '@flotilla/translate';
import { getAt, parsePath } from '../../documents/index.ts';
import type { RestorableDocument } from './content.ts';
import type { Decided, Standing } from './standing.ts';

/** New names by `<collection>/<name>`, of one version. */
type Names = ReadonlyMap<string, string>;

/**
 * Why it cannot have another name without meaning something else, and what can be done instead; undefined: it can.
 * `standings`: of the backup's documents of the version, by `<collection>/<name>`.
 */
export function whyNotRenamable(
  { item: { body } }: Decided<RestorableDocument>,
  names: Names,
  standings: ReadonlyMap<string, Standing['is']>,
): string | undefined {
  if (body.collection === 'filters') return 'what routes say of a filter they say by its name: skip or replace it';
  if (body.collection !== 'virtual_hosts' || names.has(routesOf(body.name))) return undefined;
  switch (standings.get(routesOf(body.name))) {
    case 'other':
      return 'a virtual host goes with its route configuration: rename that, or skip or replace it';
    case 'same':
      return 'its routes are the same here: skip or replace it';
    default:
      return 'its routes keep their name: skip or replace it';
  }
}

/** A virtual host has the name of its route configuration in its own. */
export function followRoutes({ collection, name }: RestorableDocument, names: Names): string | undefined {
  const routes = collection === 'virtual_hosts' ? names.get(routesOf(name)) : undefined;
  return routes === undefined ? undefined : `${routes}/${splitVirtualHostName(name)?.host}`;
}

function routesOf(name: string): string {
  return `routes/${splitVirtualHostName(name)?.routes}`;
}

/** The document by its new name, if it has one, referring to others by theirs. What Envoy does not know stays as it is. */
export function renameDocument(api: EnvoyApi, body: RestorableDocument, names: Names): RestorableDocument {
  const { collection, name } = body;
  const type = COLLECTION_TYPE[collection] ?? body.type;
  if (type === undefined || !api.hasMessage(type)) return body;
  const own = names.get(`${collection}/${name}`);
  const resource = toNormalForm(api, type, body.resource as JsonObject);
  const source = { collection, name, type, resource };
  let isChanged = own !== undefined;
  for (const { path, kind, ...target } of findReferences(api, source).references) {
    const to = names.get(`${target.collection}/${target.name}`);
    const keys = parsePath(path);
    if (keys.at(-1) === 'eds_cluster_config' && target.collection === 'endpoints') {
      // Where it names no endpoints, those are of the cluster's own name, which may be about to change.
      if (to === undefined && (own === undefined || collection !== 'clusters')) continue;
      const eds = getAt(resource, keys);
      setAt(resource, keys, { ...(isJsonObject(eds) ? eds : {}), service_name: to ?? target.name });
    } else if (to === undefined || kind === 'member') continue;
    else setAt(resource, keys, kind === 'ref' ? { $ref: `${target.collection}/${to}` } : to);
    isChanged = true;
  }
  for (const { path, listener } of findInternalAddresses(api, source)) {
    const to = names.get(`listeners/${listener}`);
    if (to === undefined) continue;
    setAt(resource, parsePath(path), to);
    isChanged = true;
  }
  if (!isChanged) return body;
  const field = NAME_FIELD[collection];
  // A virtual host keeps the name that it has within its route configuration.
  if (own !== undefined && field !== undefined && collection !== 'virtual_hosts') setOwn(resource, field, own);
  return { ...body, name: own ?? name, resource };
}

function setAt(root: JsonObject, keys: ReturnType<typeof parsePath>, value: JsonValue): void {
  const parent = getAt(root, keys.slice(0, -1));
  const last = keys.at(-1);
  if (typeof last === 'number' && Array.isArray(parent)) parent[last] = value;
  else if (typeof last === 'string' && isJsonObject(parent)) setOwn(parent, last, value);
  else throw new Error('a reference that was found is there');
}
