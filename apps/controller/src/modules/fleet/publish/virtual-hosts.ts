import { failPublish } from '@flotilla/contract';
import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/envoy-api';
import type { StoredDocument } from '../../configuration/public.ts';
import { type PlannedDocument, toPlanned, toRoute } from './documents.ts';
import { clusterOf, insertItem, isDomainOf, listOf, listPlaces, type Place, prefixOf } from './places.ts';

export interface HostRequest {
  readonly hosts: readonly [string, ...string[]];
  readonly path: string;
  /** Additional spellings of the hosts that requests may use: with the port. */
  readonly port: number | undefined;
}

/** Throws publish.host_taken if a virtual host serves only some of the hosts. */
export function findPlace(
  routes: StoredDocument,
  hostDocuments: readonly StoredDocument[],
  { hosts }: HostRequest,
): Place | undefined {
  const matching = [routes, ...hostDocuments]
    .flatMap(listPlaces)
    .filter(({ host }) => hosts.some((one) => serves(host, one)));
  const [first] = matching;
  if (first && (matching.length > 1 || !hosts.every((one) => serves(first.host, one)))) {
    const taken = hosts.filter((one) => serves(first.host, one)).join(', ');
    throw failPublish('publish.host_taken', { routes: routes.name, taken, virtual_host: String(first.host.name) });
  }
  return first;
}

/** The cluster of the route for exactly this path, `null` for a route that has none, undefined if there is no route. */
export function findRouted({ host }: Place, path: string): string | null | undefined {
  const route = listOf(host.routes).find((one) => prefixOf(one) === path);
  return route === undefined ? undefined : (clusterOf(route) ?? null);
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
export function addRoute(place: Place, { path }: HostRequest, cluster: string): PlannedDocument {
  const before = listOf(place.host.routes);
  const covering = before.findIndex((route) => coversPath(route, path));
  const at = covering < 0 ? before.length : covering;
  return toPlanned(insertItem(place, 'routes', { at, item: toRoute(path, cluster) }));
}

function domainsOf({ hosts, port }: HostRequest): string[] {
  const named = port === undefined ? [] : hosts.filter((host) => host !== '*').map((host) => `${host}:${port}`);
  return [...hosts, ...named];
}

/** Whether one of the domains of the virtual host is this host, with or without a port. */
export function serves(host: JsonObject, wanted: string): boolean {
  return listOf(host.domains).some((domain) => isDomainOf(domain, wanted));
}

function coversPath(route: JsonValue, path: string): boolean {
  const prefix = prefixOf(route);
  return prefix !== undefined && path.startsWith(prefix);
}
