/** The message that documents of a collection are; filters and extensions say so themselves. */
export const COLLECTION_TYPES: Readonly<Record<string, string | undefined>> = {
  bootstrap: 'envoy.config.bootstrap.v3.Bootstrap',
  listeners: 'envoy.config.listener.v3.Listener',
  routes: 'envoy.config.route.v3.RouteConfiguration',
  virtual_hosts: 'envoy.config.route.v3.VirtualHost',
  clusters: 'envoy.config.cluster.v3.Cluster',
  endpoints: 'envoy.config.endpoint.v3.ClusterLoadAssignment',
  secrets: 'envoy.extensions.transport_sockets.tls.v3.Secret',
};

/** `a listener`, for sentences. */
export const COLLECTION_NOUNS: Readonly<Record<string, string>> = {
  bootstrap: 'bootstrap',
  listeners: 'listener',
  routes: 'route configuration',
  virtual_hosts: 'virtual host',
  clusters: 'cluster',
  endpoints: 'endpoints',
  secrets: 'secret',
  filters: 'filter',
  extensions: 'extension',
};

/** What each collection is for, for those who see it empty. */
export const COLLECTION_PURPOSES: Readonly<Record<string, string>> = {
  bootstrap: 'What an Envoy starts with: admin, overload limits, statistics sinks. Every service names one.',
  listeners: 'Where proxies accept connections, and what they do with them.',
  routes: 'Which request goes to which cluster. HTTP listeners name them.',
  virtual_hosts: 'One host of a route configuration, fetched by proxies when it is first asked for.',
  clusters: 'The upstreams that requests are sent to, with their health checks and TLS.',
  endpoints: 'Addresses of a cluster that change more often than the cluster.',
  secrets: 'Certificates, keys and session ticket keys. Private values are sealed and never shown again.',
  filters: 'Filters that several listeners or routes share.',
  extensions: 'Other parts of Envoy that several documents share, such as access logs and load balancers.',
};

/** `envoy.config.cluster.v3.Cluster` -> `Cluster` */
export function shortType(type: string): string {
  return type.slice(type.lastIndexOf('.') + 1);
}
