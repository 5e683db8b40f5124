import {
  ANY_ADDRESS,
  ANY_CLUSTER,
  CLOUD_IDENTITY,
  CODE,
  ENVIRONMENT,
  FOREIGN_SOURCE,
  type Restriction,
  restrict,
  UPSTREAM_ADDRESS,
} from './reach.ts';

const SOCKET_INTERFACE = restrict('network', 'replaces how the proxy reaches the network');
const REVERSE_TUNNEL = restrict('network', 'lets a peer that dials in stand in for an upstream');
const FOREIGN_SOURCE_ADDRESS = restrict('network', 'sends from addresses that are not its own');

/** Messages that are restricted everywhere: in an Any or as the value of a field. */
const MESSAGES: ReadonlyMap<string, Restriction> = new Map([
  ['envoy.config.bootstrap.v3.Runtime', restrict('host', 'reads a folder of the host')],
  ['envoy.config.bootstrap.v3.RuntimeLayer.DiskLayer', restrict('host', 'reads a folder of the host')],
  ['envoy.config.endpoint.v3.LedsClusterLocalityConfig', FOREIGN_SOURCE],
  ['envoy.config.grpc_credential.v3.AwsIamConfig', CLOUD_IDENTITY],
  ['envoy.config.listener.v3.Listener.FcdsConfig', FOREIGN_SOURCE],
  ['envoy.config.trace.v3.DynamicOtConfig', CODE],
  [
    'envoy.extensions.bootstrap.reverse_tunnel.downstream_socket_interface.v3.DownstreamReverseConnectionSocketInterface',
    REVERSE_TUNNEL,
  ],
  [
    'envoy.extensions.bootstrap.reverse_tunnel.upstream_socket_interface.v3.UpstreamReverseConnectionSocketInterface',
    REVERSE_TUNNEL,
  ],
  ['envoy.extensions.clusters.aggregate.v3.AggregateClusterResource', FOREIGN_SOURCE],
  ['envoy.extensions.clusters.dynamic_forward_proxy.v3.ClusterConfig', ANY_ADDRESS],
  ['envoy.extensions.clusters.original_dst.v3.OriginalDstCluster', ANY_ADDRESS],
  // Its upstream lists the nodes of the cluster, and a hash of the request picks one of them.
  ['envoy.extensions.clusters.redis.v3.RedisClusterConfig', UPSTREAM_ADDRESS],
  ['envoy.extensions.clusters.reverse_connection.v3.ReverseConnectionClusterConfig', REVERSE_TUNNEL],
  ['envoy.extensions.filters.http.dynamic_forward_proxy.v3.FilterConfig', ANY_ADDRESS],
  ['envoy.extensions.filters.http.dynamic_forward_proxy.v3.PerRouteConfig', ANY_ADDRESS],
  ['envoy.extensions.filters.http.gcp_authn.v3.GcpAuthnFilterConfig', CLOUD_IDENTITY],
  ['envoy.extensions.filters.http.gcp_authn.v3.Audience', CLOUD_IDENTITY],
  ['envoy.extensions.filters.http.kill_request.v3.KillRequest', restrict('host', 'lets a request end the proxy')],
  ['envoy.extensions.filters.http.original_src.v3.OriginalSrc', FOREIGN_SOURCE_ADDRESS],
  ['envoy.extensions.filters.listener.original_src.v3.OriginalSrc', FOREIGN_SOURCE_ADDRESS],
  ['envoy.extensions.filters.network.reverse_tunnel.v3.DrainAwareHttpConnectionManager', REVERSE_TUNNEL],
  ['envoy.extensions.filters.network.reverse_tunnel.v3.ReverseTunnel', REVERSE_TUNNEL],
  ['envoy.extensions.filters.network.sni_cluster.v3.SniCluster', ANY_CLUSTER],
  ['envoy.extensions.filters.network.sni_dynamic_forward_proxy.v3.FilterConfig', ANY_ADDRESS],
  ['envoy.extensions.filters.udp.udp_proxy.session.dynamic_forward_proxy.v3.FilterConfig', ANY_ADDRESS],
  ['envoy.extensions.formatter.file_content.v3.FileContent', restrict('host', 'reads files of the host')],
  [
    'envoy.extensions.local_address_selectors.filter_state_override.v3.Config',
    restrict('network', 'lets a request choose the network namespace of the proxy'),
  ],
  ['envoy.extensions.matching.common_inputs.environment_variable.v3.Config', ENVIRONMENT],
  ['envoy.extensions.network.socket_interface.sockmap.v3.Sockmap', restrict('host', 'loads a program into the kernel')],
  ['envoy.extensions.network.socket_interface.v3.DefaultSocketInterface', SOCKET_INTERFACE],
  [
    'envoy.extensions.router.cluster_specifiers.priority_group.v3.PriorityGroupsOverride',
    restrict('control_plane', 'chooses a cluster by metadata, also those of the controller'),
  ],
  [
    'envoy.extensions.tracers.opentelemetry.resource_detectors.v3.DynatraceResourceDetectorConfig',
    restrict('host', 'reads files of the host'),
  ],
  ['envoy.extensions.tracers.opentelemetry.resource_detectors.v3.EnvironmentResourceDetectorConfig', ENVIRONMENT],
  [
    // A connection chooses the secret that the proxy then requests from the controller.
    'envoy.extensions.transport_sockets.tls.cert_selectors.on_demand_secret.v3.Config',
    restrict('control_plane', 'lets a connection choose which secret the proxy asks for'),
  ],
  ['envoy.extensions.upstreams.http.reverse_tunnel.v3.ReverseTunnelUpstreamCodecOptions', REVERSE_TUNNEL],
  [
    'envoy.extensions.watchdog.backtrace_action.v3.BacktraceActionConfig',
    restrict('host', 'writes addresses of the memory of the proxy into its log'),
  ],
  ['envoy.extensions.watchdog.profile_action.v3.ProfileActionConfig', restrict('host', 'writes profiles to the host')],
  ['envoy.type.tracing.v3.CustomTag.Environment', ENVIRONMENT],
]);

/**
 * LuaJIT in Envoy has `io` and `os`; Go plugins and dynamic modules are shared objects of the host; a Wasm module may
 * call any cluster by name, including the controller's, and open gRPC to any target (`proxy_grpc_call` accepts a
 * complete GrpcService).
 */
const CODE_PACKAGE = /^envoy\.extensions\.(?:[a-z_0-9]+\.)*(?:lua|golang|dynamic_modules|wasm)\./;

export function restrictionByType(type: string): Restriction | undefined {
  return MESSAGES.get(type) ?? (CODE_PACKAGE.test(type) ? CODE : undefined);
}

/** Full names, for tests that compare the table with the served versions. */
export function listRestrictedMessages(): readonly string[] {
  return [...MESSAGES.keys()];
}
