import {
  ANY_ADDRESS,
  ANY_CLUSTER,
  CLOUD_IDENTITY,
  ENVIRONMENT,
  FOREIGN_SOURCE,
  type Restriction,
  restrict,
  UPSTREAM_ADDRESS,
} from './reach.ts';

/** Locators with `file://` and `http://` do not come from the controller, and it serves no `xdstp://`. */
const LOCATOR = restrict(
  'control_plane',
  'names where configuration comes from, and the controller serves none by locator',
);
const CREDENTIALS = restrict('host', 'takes credentials that are not in the document');
const NAMESPACE = restrict('network', 'leaves the network namespace of the proxy');

const CORE = 'envoy.config.core.v3';
const GOOGLE_GRPC = `${CORE}.GrpcService.GoogleGrpc`;
const BOOTSTRAP = 'envoy.config.bootstrap.v3';

/** Fields that are restricted if they are set to anything but false, zero or empty. */
export const RESTRICTED_FIELDS: ReadonlyMap<string, Restriction> = new Map([
  [`${BOOTSTRAP}.Bootstrap.admin`, restrict('host', 'opens an admin endpoint')],
  [`${BOOTSTRAP}.Bootstrap.fatal_actions`, restrict('host', 'runs code when the proxy fails')],
  [
    `${BOOTSTRAP}.Bootstrap.default_socket_interface`,
    restrict('network', 'replaces how the proxy reaches the network'),
  ],
  [`${BOOTSTRAP}.Bootstrap.hds_config`, restrict('control_plane', 'lets a server choose what the proxy connects to')],
  [`${BOOTSTRAP}.Bootstrap.DynamicResources.cds_resources_locator`, LOCATOR],
  [`${BOOTSTRAP}.Bootstrap.DynamicResources.lds_resources_locator`, LOCATOR],
  [`${BOOTSTRAP}.Bootstrap.DynamicResources.ads_config`, FOREIGN_SOURCE],
  [
    `${BOOTSTRAP}.ClusterManager.load_stats_config`,
    restrict('control_plane', 'lets a server choose what is reported to it'),
  ],
  ['envoy.config.cluster.v3.Cluster.OriginalDstLbConfig.metadata_key', ANY_ADDRESS],
  ['envoy.config.cluster.v3.Cluster.OriginalDstLbConfig.use_http_header', ANY_ADDRESS],
  ['envoy.config.cluster.v3.Cluster.OriginalDstLbConfig.upstream_port_override', ANY_ADDRESS],
  [`${CORE}.DataSource.environment_variable`, ENVIRONMENT],
  [`${GOOGLE_GRPC}.config`, CREDENTIALS],
  [`${GOOGLE_GRPC}.credentials_factory_name`, CREDENTIALS],
  [`${GOOGLE_GRPC}.CallCredentials.from_plugin`, CREDENTIALS],
  [`${GOOGLE_GRPC}.CallCredentials.google_compute_engine`, CLOUD_IDENTITY],
  [`${GOOGLE_GRPC}.CallCredentials.sts_service`, CREDENTIALS],
  [`${GOOGLE_GRPC}.ChannelCredentials.google_default`, CLOUD_IDENTITY],
  [`${CORE}.SocketAddress.network_namespace_filepath`, NAMESPACE],
  [`${CORE}.SocketAddress.resolver_name`, restrict('network', 'replaces how an address is looked up')],
  ['envoy.config.listener.v3.Listener.transparent', restrict('network', 'takes connections to addresses of others')],
  [
    'envoy.config.route.v3.RouteConfiguration.vhost_header',
    restrict('network', 'lets a request choose its virtual host by another header than the one that policies go by'),
  ],
  ['envoy.config.route.v3.RouteAction.cluster_header', ANY_CLUSTER],
  ['envoy.config.route.v3.RouteAction.RequestMirrorPolicy.cluster_header', ANY_CLUSTER],
  ['envoy.config.route.v3.WeightedCluster.ClusterWeight.cluster_header', ANY_CLUSTER],
  ['envoy.extensions.filters.network.thrift_proxy.v3.RouteAction.cluster_header', ANY_CLUSTER],
  ['envoy.extensions.filters.http.aws_lambda.v3.Config.credentials_profile', CLOUD_IDENTITY],
  ['envoy.extensions.filters.http.on_demand.v3.OnDemandCds.resources_locator', LOCATOR],
  ['envoy.extensions.filters.network.http_connection_manager.v3.ScopedRds.srds_resources_locator', LOCATOR],
  ['envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy.OnDemand.resources_locator', LOCATOR],
  // A reply of the upstream (MOVED, ASK) contains the address that the proxy then connects to.
  ['envoy.extensions.filters.network.redis_proxy.v3.RedisProxy.ConnPoolSettings.enable_redirection', UPSTREAM_ADDRESS],
  [
    'envoy.extensions.filters.udp.udp_proxy.v3.UdpProxyConfig.use_original_src_ip',
    restrict('network', 'sends from addresses that are not its own'),
  ],
  ['envoy.extensions.network.dns_resolver.hickory.v3.DnsOverHttpsConfig.server_urls', ANY_ADDRESS],
  [
    // Other filters write the metadata, some of them from the request.
    'envoy.extensions.router.cluster_specifiers.priority_group.v3.PriorityGroupClusterSpecifier.override_metadata_namespace',
    ANY_CLUSTER,
  ],
  ['envoy.extensions.wasm.v3.EnvironmentVariables.host_env_keys', ENVIRONMENT],
  ['envoy.type.tracing.v3.CustomTag.environment', ENVIRONMENT],
  ['xds.core.v3.CollectionEntry.locator', LOCATOR],
]);
