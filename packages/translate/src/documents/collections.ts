/** The collections of documents, named as in the REST contract, on which this package does not depend. */
export const COLLECTIONS = [
  'bootstrap',
  'listeners',
  'routes',
  'virtual_hosts',
  'clusters',
  'endpoints',
  'secrets',
  'filters',
  'extensions',
] as const;
export type DocumentCollection = (typeof COLLECTIONS)[number];

export const MESSAGE = {
  bootstrap: 'envoy.config.bootstrap.v3.Bootstrap',
  listener: 'envoy.config.listener.v3.Listener',
  routeConfiguration: 'envoy.config.route.v3.RouteConfiguration',
  virtualHost: 'envoy.config.route.v3.VirtualHost',
  routeAction: 'envoy.config.route.v3.RouteAction',
  cluster: 'envoy.config.cluster.v3.Cluster',
  endpoint: 'envoy.config.endpoint.v3.ClusterLoadAssignment',
  secret: 'envoy.extensions.transport_sockets.tls.v3.Secret',
  extensionConfig: 'envoy.config.core.v3.TypedExtensionConfig',
  httpFilter: 'envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter',
  connectionManager: 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
  tcpProxy: 'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
} as const;

/** The message type of a collection; filters and extensions have several. */
export const COLLECTION_TYPE: Readonly<Partial<Record<DocumentCollection, string>>> = {
  bootstrap: MESSAGE.bootstrap,
  listeners: MESSAGE.listener,
  routes: MESSAGE.routeConfiguration,
  virtual_hosts: MESSAGE.virtualHost,
  clusters: MESSAGE.cluster,
  endpoints: MESSAGE.endpoint,
  secrets: MESSAGE.secret,
};

/** The field with a message's own name. */
export const NAME_FIELD: Readonly<Partial<Record<DocumentCollection, string>>> = {
  listeners: 'name',
  routes: 'name',
  virtual_hosts: 'name',
  clusters: 'name',
  endpoints: 'cluster_name',
  secrets: 'name',
};

export function isDocumentCollection(text: string): text is DocumentCollection {
  return (COLLECTIONS as readonly string[]).includes(text);
}

/** `filters/my-jwt`, `virtual_hosts/main/www.example.com`. */
export type DocumentKey = `${DocumentCollection}/${string}`;

export function toDocumentKey(collection: DocumentCollection, name: string): DocumentKey {
  return `${collection}/${name}`;
}

/** Undefined if the text contains no known collection or no name. */
export function parseDocumentKey(text: string): { collection: DocumentCollection; name: string } | undefined {
  const slash = text.indexOf('/');
  const collection = text.slice(0, slash);
  const name = text.slice(slash + 1);
  return slash > 0 && name !== '' && isDocumentCollection(collection) ? { collection, name } : undefined;
}

/** Splits `<route configuration>/<host>`. */
export function splitVirtualHostName(name: string): { routes: string; host: string } | undefined {
  const slash = name.indexOf('/');
  return slash > 0 && slash < name.length - 1
    ? { routes: name.slice(0, slash), host: name.slice(slash + 1) }
    : undefined;
}
