/** Type URLs of the resources sent over ADS. Source: Envoy docs, xDS protocol, "Resource types". */
export const TYPE_URL = {
  cluster: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
  endpoint: 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment',
  secret: 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
  listener: 'type.googleapis.com/envoy.config.listener.v3.Listener',
  route: 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
  virtualHost: 'type.googleapis.com/envoy.config.route.v3.VirtualHost',
  extension: 'type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig',
  /** Our own: the set that makes many resources one consistent snapshot. */
  nodePlan: 'type.googleapis.com/flotilla.fleet.v1.NodePlan',
} as const;
