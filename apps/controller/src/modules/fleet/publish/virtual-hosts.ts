import { failPublish } from '@flotilla/contract';
import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/envoy-api';
import type { StoredDocument } from '../../configuration/public.ts';
import { type PlannedDocument, toRoute } from './documents.ts';

export interface HostRequest {
  readonly hosts: readonly [string, ...string[]];
  readonly path: string;
  /** Additional spellings of the hosts that requests may use: with the port. */
  readonly port: number | undefined;
}

/** A virtual host that serves at least one of the hosts. */
export interface HostPlace {
  readonly document: StoredDocument;
  /** Its position in the route configuration; undefined: the document is the virtual host. */
  readonly index: number | undefined;
  readonly host: JsonObject;
}

/** Throws publish.host_taken if a virtual host serves only some of the hosts. */
export function findPlace(
  routes: StoredDocument,
  hostDocuments: readonly StoredDocument[],
  { hosts }: HostRequest,
): HostPlace | undefined {
  const inline = listOf(routes.resource.virtual_hosts).flatMap((host, index) =>
    isJsonObject(host) ? [{ document: routes, index, host }] : [],
  );
  const places = [
    ...inline,
    ...hostDocuments.map((document) => ({ document, index: undefined, host: document.resource })),
  ];
  const matching = places.filter(({ host }) => hosts.some((one) => serves(host, one)));
  const [first] = matching;
  if (first && (matching.length > 1 || !hosts.every((one) => serves(first.host, one)))) {
    const taken = hosts.filter((one) => serves(first.host, one)).join(', ');
    throw failPublish('publish.host_taken', { routes: routes.name, taken, virtual_host: String(first.host.name) });
  }
  return first;
}

/** The cluster of the route for exactly this path, `null` for a route that has none, undefined if there is no route. */
export function findRouted({ host }: HostPlace, path: string): string | null | undefined {
  const route = listOf(host.routes).find((one) => isJsonObject(one) && prefixOf(one) === path);
  if (!isJsonObject(route)) return undefined;
  const action = route.route;
  return isJsonObject(action) && typeof action.cluster === 'string' ? action.cluster : null;
}

/** Names of the virtual hosts inside a route configuration. */
export function listInlineHosts({ resource }: Pick<StoredDocument, 'resource'>): string[] {
  return listOf(resource.virtual_hosts).flatMap((host) => (isJsonObject(host) ? [String(host.name)] : []));
}

/** A new virtual host, as a document of its own. */
export function toHostDocument(
  { routes, name }: { readonly routes: string; readonly name: string },
  request: HostRequest,
  cluster: string,
): PlannedDocument {
  return {
    collection: 'virtual_hosts',
    name: `${routes}/${name}`,
    resource: { name, domains: domainsOf(request), routes: [toRoute(request.path, cluster)] },
    revision: 0,
  };
}

/** The document with a route for the path, before every route that would take its requests. */
export function addRoute(place: HostPlace, { path }: HostRequest, cluster: string): PlannedDocument {
  const { document, index, host } = place;
  const before = listOf(host.routes);
  const covering = before.findIndex((route) => isJsonObject(route) && coversPath(route, path));
  const at = covering < 0 ? before.length : covering;
  const changed = { ...host, routes: before.toSpliced(at, 0, toRoute(path, cluster)) };
  const { collection, name, revision } = document;
  const prefix = index === undefined ? ['routes'] : ['virtual_hosts', index, 'routes'];
  const hosts = listOf(document.resource.virtual_hosts);
  return {
    collection,
    name,
    revision,
    resource: index === undefined ? changed : { ...document.resource, virtual_hosts: hosts.with(index, changed) },
    comments: document.comments.map((comment) => ({ ...comment, path: shift(comment.path, prefix, at) })),
  };
}

/** Comments stay at their items when one is inserted before them. */
function shift(path: readonly (string | number)[], prefix: readonly (string | number)[], at: number) {
  const position = path[prefix.length];
  const isInList = prefix.every((part, i) => path[i] === part) && typeof position === 'number' && position >= at;
  return isInList ? path.with(prefix.length, position + 1) : [...path];
}

function domainsOf({ hosts, port }: HostRequest): string[] {
  const named = port === undefined ? [] : hosts.filter((host) => host !== '*').map((host) => `${host}:${port}`);
  return [...hosts, ...named];
}

/** Whether one of the domains of the virtual host is this host, with or without a port. */
export function serves(host: JsonObject, wanted: string): boolean {
  const domains = listOf(host.domains).map((domain) => String(domain).toLowerCase());
  return domains.some((domain) => domain === wanted || withoutPort(domain) === wanted);
}

function withoutPort(domain: string): string {
  return domain.replace(/(?<=^[^:]*|\]):\d+$/, '');
}

/** The path of a route that depends on nothing else. */
function prefixOf(route: JsonObject): string | undefined {
  const match = isJsonObject(route.match) ? route.match : {};
  const [kind, ...others] = Object.keys(match).filter((key) => key !== 'case_sensitive');
  if (others.length > 0 || (kind !== 'prefix' && kind !== 'path_separated_prefix')) return undefined;
  return String(match[kind]).replace(/(?<=[^/])\/$/, '');
}

function coversPath(route: JsonObject, path: string): boolean {
  const prefix = prefixOf(route);
  return prefix !== undefined && path.startsWith(prefix);
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
