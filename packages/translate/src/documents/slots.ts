/** Packages of the extensions that a message with a `typed_config` accepts. Others accept any extension; Envoy decides. */
const SLOT_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter': [
    'envoy.extensions.filters.http.',
    'envoy.extensions.common.matching.',
  ],
  'envoy.config.listener.v3.Filter': ['envoy.extensions.filters.network.', 'envoy.extensions.common.matching.'],
  'envoy.config.listener.v3.ListenerFilter': ['envoy.extensions.filters.listener.', 'envoy.extensions.filters.udp.'],
  'envoy.config.core.v3.TransportSocket': ['envoy.extensions.transport_sockets.'],
  'envoy.config.accesslog.v3.AccessLog': ['envoy.extensions.access_loggers.'],
  'envoy.config.cluster.v3.Filter': ['envoy.extensions.filters.network.', 'envoy.extensions.filters.upstream.'],
  'envoy.config.trace.v3.Tracing.Http': ['envoy.config.trace.', 'envoy.extensions.tracers.'],
};

/** Whether an extension of `type` fits the `typed_config` of a message of type `slot`. */
export function fitsSlot(slot: string, type: string): boolean {
  const packages = SLOT_PACKAGES[slot];
  return packages === undefined || packages.some((prefix) => type.startsWith(prefix));
}

export function describeSlot(slot: string): string {
  return SLOT_PACKAGES[slot]?.map((prefix) => `${prefix}*`).join(' or ') ?? 'any extension';
}
