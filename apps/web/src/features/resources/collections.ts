import { texts } from './texts.tsx';

const text = texts.collections;
/** Message type of each collection; filters and extensions carry their own. */
export const COLLECTION_TYPES: Readonly<Record<string, string | undefined>> = {
  bootstrap: 'envoy.config.bootstrap.v3.Bootstrap',
  listeners: 'envoy.config.listener.v3.Listener',
  routes: 'envoy.config.route.v3.RouteConfiguration',
  virtual_hosts: 'envoy.config.route.v3.VirtualHost',
  clusters: 'envoy.config.cluster.v3.Cluster',
  endpoints: 'envoy.config.endpoint.v3.ClusterLoadAssignment',
  secrets: 'envoy.extensions.transport_sockets.tls.v3.Secret',
};

/** Nouns with their article for sentences: `a listener`. */
export const COLLECTION_NOUNS: Readonly<Record<string, string>> = {
  bootstrap: 'bootstrap',
  listeners: 'listener',
  routes: text.collectionNouns.routes,
  virtual_hosts: text.collectionNouns.virtualHosts,
  clusters: 'cluster',
  endpoints: 'endpoints',
  secrets: 'secret',
  filters: 'filter',
  extensions: 'extension',
  services: 'service',
  policies: 'policy',
};

/** The purpose of each collection, shown while it is empty. */
export const COLLECTION_PURPOSES: Readonly<Record<string, string>> = {
  bootstrap: text.collectionPurposes.bootstrap,
  listeners: text.collectionPurposes.listeners,
  routes: text.collectionPurposes.routes,
  virtual_hosts: text.collectionPurposes.virtualHosts,
  clusters: text.collectionPurposes.clusters,
  endpoints: text.collectionPurposes.endpoints,
  secrets: text.collectionPurposes.secrets,
  filters: text.collectionPurposes.filters,
  extensions: text.collectionPurposes.extensions,
};

/** Converts `envoy.config.cluster.v3.Cluster` to `Cluster`. */
export function shortType(type: string): string {
  return type.slice(type.lastIndexOf('.') + 1);
}
