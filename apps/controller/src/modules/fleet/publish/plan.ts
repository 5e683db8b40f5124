import { isDeepStrictEqual } from 'node:util';
import { failPublish } from '@flotilla/contract';
import type { JsonObject } from '@flotilla/envoy-api';
import type { StoredDocument } from '../../configuration/public.ts';
import { type PlannedDocument, PUBLISHED_LABEL, toCluster, toListener, toRoutes } from './documents.ts';
import type { ListenerFacts } from './listener-facts.ts';
import type { PublishRequest } from './request.ts';
import { addRoute, findPlace, findRouted, type HostRequest, toHostDocument } from './virtual-hosts.ts';

/** Free names for new documents. */
export interface FreeNames {
  readonly cluster: string;
  readonly host: string;
}

/** A listener that exists, with its routes. */
export interface ExistingRoutes {
  readonly listener: ListenerFacts;
  readonly routes: StoredDocument;
  readonly hosts: readonly StoredDocument[];
}

export function toHostRequest({ hosts, path }: PublishRequest, existing?: ExistingRoutes): HostRequest {
  if (!existing) return { hosts, path, port: undefined };
  const { listener, routes } = existing;
  const isDefault = listener.port === (listener.tls ? 443 : 80);
  const ignoresPort = listener.stripsPort || routes.resource.ignore_port_in_host_matching === true;
  return { hosts, path, port: isDefault || ignoresPort ? undefined : listener.port };
}

/** Where the request is published already: its route, and the cluster that the route names. */
export function findPublished(request: PublishRequest, existing: ExistingRoutes) {
  const place = findPlace(existing.routes, existing.hosts, toHostRequest(request, existing));
  return { place, routed: place && findRouted(place, request.path) };
}

/**
 * The documents that publish the request on an existing listener. A route that publishing made gets the new upstreams; any
 * other route for the same path is refused.
 */
export function planOnListener(
  request: PublishRequest,
  existing: ExistingRoutes,
  {
    free,
    cluster,
    normalise,
  }: {
    readonly free: FreeNames;
    /** The cluster of the route for this path. */
    readonly cluster: StoredDocument | undefined;
    /** The form in which a cluster is stored. */
    readonly normalise: (cluster: JsonObject) => JsonObject;
  },
): PlannedDocument[] {
  const { place, routed } = findPublished(request, existing);
  if (routed === undefined) {
    const wanted = toHostRequest(request, existing);
    const route = place
      ? addRoute(place, wanted, free.cluster)
      : labelled(toHostDocument({ routes: existing.routes.name, name: free.host }, wanted, free.cluster), request);
    return [newCluster(free.cluster, request), route];
  }
  if (!cluster || cluster.labels[PUBLISHED_LABEL] === undefined) {
    const { path, hosts } = request;
    // A cluster that the caller may not see is not named.
    const target = routed === null || !cluster ? 'something else' : `cluster ${routed}`;
    throw failPublish('publish.path_taken', { host: hosts[0], path, target, routes: existing.routes.name });
  }
  return [changeCluster(cluster, normalise(toCluster(cluster.name, request, cluster.resource)))];
}

/** The documents of a new listener with its own route configuration. */
export function planNewListener(
  request: PublishRequest,
  { listener, free }: { readonly listener: Parameters<typeof toListener>[0]; readonly free: FreeNames },
): PlannedDocument[] {
  const { routes } = listener;
  const host = toHostDocument({ routes, name: free.host }, toHostRequest(request), free.cluster);
  const created = [
    { collection: 'routes', name: routes, resource: toRoutes(routes), revision: 0 } as const,
    host,
    { collection: 'listeners', name: listener.name, resource: toListener(listener), revision: 0 } as const,
  ];
  return [newCluster(free.cluster, request), ...created.map((document) => labelled(document, request))];
}

function newCluster(name: string, request: PublishRequest): PlannedDocument {
  return labelled({ collection: 'clusters', name, resource: toCluster(name, request), revision: 0 }, request);
}

/** An equal content keeps the order of the stored members, so that nothing is written. */
function changeCluster({ collection, name, revision, resource }: StoredDocument, wanted: JsonObject): PlannedDocument {
  return { collection, name, revision, resource: isDeepStrictEqual(wanted, resource) ? resource : wanted };
}

function labelled(document: PlannedDocument, { hosts, path }: PublishRequest): PlannedDocument {
  return { ...document, labels: { [PUBLISHED_LABEL]: `${hosts[0]}${path}`.slice(0, 256) } };
}
