/**
 * Type URLs of the resources sent over ADS (Envoy docs, xDS protocol, "Resource types"), and our own for the plan of a
 * node. Repeated here because this package does not depend on protobuf.
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

/** The order in which a stream sends types: dependencies first, the plan of the node last. */
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

/** Types that Envoy requests as a whole. It requests others by name once something that it runs refers to them. */
export const WHOLE_TYPES: readonly string[] = [RESOURCE_TYPE.cluster, RESOURCE_TYPE.listener];

export function isWholeType(typeUrl: string): boolean {
  return WHOLE_TYPES.includes(typeUrl);
}

/** Types that Envoy warms before it uses them; the others are in use once acknowledged. */
export function isWarmedType(typeUrl: string): boolean {
  return isWholeType(typeUrl);
}

/** Requested instead of names: everything of a type (xDS protocol, "Wildcard subscriptions"). */
export const WILDCARD = '*';
