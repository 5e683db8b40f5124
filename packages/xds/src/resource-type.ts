/**
 * Type URLs of the resources that travel by ADS (Envoy docs, xDS protocol, "Resource types"), and ours for the plan of a
 * node. The same strings as in the wire definitions; kept here because this package knows no protobuf.
 */
export const RESOURCE_TYPE = {
  cluster: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
  endpoint: 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment',
  secret: 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
  extension: 'type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig',
  listener: 'type.googleapis.com/envoy.config.listener.v3.Listener',
  route: 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
  virtualHost: 'type.googleapis.com/envoy.config.route.v3.VirtualHost',
  nodePlan: 'type.googleapis.com/flotilla.fleet.v1.NodePlan',
} as const;

/** The order in which one flush of a stream sends types: what others need comes first, the plan of the node last. */
export const TYPE_ORDER: readonly string[] = [
  RESOURCE_TYPE.cluster,
  RESOURCE_TYPE.endpoint,
  RESOURCE_TYPE.secret,
  RESOURCE_TYPE.extension,
  RESOURCE_TYPE.listener,
  RESOURCE_TYPE.route,
  RESOURCE_TYPE.virtualHost,
  RESOURCE_TYPE.nodePlan,
];

export function deriveTypeRank(typeUrl: string): number {
  const rank = TYPE_ORDER.indexOf(typeUrl);
  return rank === -1 ? TYPE_ORDER.length : rank;
}

/** Types that Envoy asks for as a whole. All others it asks for by name, once something that it runs refers to them. */
export const WHOLE_TYPES: readonly string[] = [RESOURCE_TYPE.cluster, RESOURCE_TYPE.listener];

export function isWholeType(typeUrl: string): boolean {
  return WHOLE_TYPES.includes(typeUrl);
}

/** Types that Envoy takes and then warms before it uses them; the others are in use once acknowledged. */
export function isWarmedType(typeUrl: string): boolean {
  return isWholeType(typeUrl);
}

/** Asked for instead of names: everything of a type (xDS protocol, "Wildcard subscriptions"). */
export const WILDCARD = '*';
