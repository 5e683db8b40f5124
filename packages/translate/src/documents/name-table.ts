import type { DocumentCollection } from './collections.ts';

/**
 * Fields that refer to something by name: declaring message and field -> collection. In lists, each item is a name.
 * Source: Envoy's API reference, for the messages of 1.36 to 1.40.
 */
const CLUSTER_FIELDS: Readonly<Record<string, readonly string[]>> = {
  'envoy.config.route.v3.RouteAction': ['cluster'],
  'envoy.config.route.v3.WeightedCluster.ClusterWeight': ['name'],
  'envoy.config.route.v3.RouteAction.RequestMirrorPolicy': ['cluster'],
  'envoy.config.core.v3.GrpcService.EnvoyGrpc': ['cluster_name'],
  'envoy.config.core.v3.HttpUri': ['cluster'],
  'envoy.config.core.v3.ApiConfigSource': ['cluster_names'],
  'envoy.config.bootstrap.v3.ClusterManager': ['local_cluster_name'],
  'envoy.config.metrics.v3.StatsdSink': ['tcp_cluster_name'],
  'envoy.config.trace.v3.ZipkinConfig': ['collector_cluster'],
  'envoy.config.trace.v3.DatadogConfig': ['collector_cluster'],
  'envoy.config.trace.v3.LightstepConfig': ['collector_cluster'],
  'envoy.data.dns.v3.DnsTable.DnsEndpoint': ['cluster_name'],
  'envoy.data.dns.v3.DnsTable.DnsServiceTarget': ['cluster_name'],
  'envoy.extensions.access_loggers.fluentd.v3.FluentdAccessLogConfig': ['cluster'],
  'envoy.extensions.tracers.fluentd.v3.FluentdConfig': ['cluster'],
  'envoy.extensions.clusters.aggregate.v3.ClusterConfig': ['clusters'],
  'envoy.extensions.clusters.composite.v3.ClusterConfig.ClusterEntry': ['name'],
  'envoy.extensions.clusters.mcp_multicluster.v3.ClusterConfig.McpCluster': ['cluster'],
  'envoy.extensions.filters.http.cache_v2.v3.CacheV2Config': ['override_upstream_cluster'],
  'envoy.extensions.filters.http.gcp_authn.v3.GcpAuthnFilterConfig': ['cluster'],
  'envoy.extensions.filters.http.mcp_router.v3.McpRouter.McpCluster': ['cluster'],
  'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy': ['cluster'],
  'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy.WeightedCluster.ClusterWeight': ['name'],
  'envoy.extensions.filters.network.redis_proxy.v3.RedisProxy.PrefixRoutes.Route': ['cluster'],
  'envoy.extensions.filters.network.redis_proxy.v3.RedisProxy.PrefixRoutes.Route.RequestMirrorPolicy': ['cluster'],
  'envoy.extensions.filters.network.redis_proxy.v3.RedisProxy.PrefixRoutes.Route.ReadCommandPolicy': ['cluster'],
  'envoy.extensions.filters.network.thrift_proxy.v3.RouteAction': ['cluster'],
  'envoy.extensions.filters.network.thrift_proxy.v3.RouteAction.RequestMirrorPolicy': ['cluster'],
  'envoy.extensions.filters.network.thrift_proxy.v3.WeightedCluster.ClusterWeight': ['name'],
  'envoy.extensions.filters.network.dubbo_proxy.v3.RouteAction': ['cluster'],
  'envoy.extensions.filters.network.generic_proxy.action.v3.RouteAction': ['cluster'],
  'envoy.extensions.filters.udp.udp_proxy.v3.UdpProxyConfig': ['cluster'],
  'envoy.extensions.filters.udp.udp_proxy.v3.Route': ['cluster'],
  'envoy.extensions.router.cluster_specifiers.lua.v3.LuaConfig': ['default_cluster'],
  'envoy.extensions.router.cluster_specifiers.matcher.v3.ClusterAction': ['cluster'],
  'envoy.extensions.router.cluster_specifiers.priority_group.v3.ClusterWeight': ['cluster_name'],
};

const OTHER_FIELDS: Readonly<Record<string, Readonly<Record<string, DocumentCollection>>>> = {
  'envoy.extensions.filters.network.http_connection_manager.v3.Rds': { route_config_name: 'routes' },
  'envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig': { name: 'secrets' },
};

const byMessage = new Map<string, Map<string, DocumentCollection>>();
for (const [message, fields] of Object.entries(CLUSTER_FIELDS)) {
  byMessage.set(message, new Map(fields.map((field) => [field, 'clusters'])));
}
for (const [message, fields] of Object.entries(OTHER_FIELDS)) byMessage.set(message, new Map(Object.entries(fields)));

/** The collection that this field's text refers to, if any. */
export function collectionNamedBy(message: string, field: string): DocumentCollection | undefined {
  return byMessage.get(message)?.get(field);
}

/** An address inside the process: a listener of the service, which need not exist for the document to be valid. */
export const INTERNAL_ADDRESS = {
  message: 'envoy.config.core.v3.EnvoyInternalAddress',
  field: 'server_listener_name',
} as const;

/**
 * For forms: the collection whose names the field accepts. Includes fields that refer to a document only together with
 * others (an EDS cluster may name its own endpoints), or whether or not it exists.
 */
export function collectionTakenBy(message: string, field: string): DocumentCollection | undefined {
  if (message === 'envoy.config.cluster.v3.Cluster.EdsClusterConfig' && field === 'service_name') return 'endpoints';
  if (message === INTERNAL_ADDRESS.message && field === INTERNAL_ADDRESS.field) return 'listeners';
  return collectionNamedBy(message, field);
}
