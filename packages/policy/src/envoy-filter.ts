/** A JSON value in Envoy's proto-JSON, snake_case field names. */
export type EnvoyJson = { readonly [field: string]: unknown };

export const SHIELD_FILTER_NAME = 'envoy.filters.http.ext_proc';
export const SHIELD_CLUSTER_NAME = 'flotilla_shield';
/** Where the filter's dynamic metadata is found: `%DYNAMIC_METADATA(flotilla.shield:subject)%` in access logs. */
export const SHIELD_METADATA_NAMESPACE = 'flotilla.shield';

/** Attributes the filter asks Envoy to send with the request headers. */
export const SHIELD_REQUEST_ATTRIBUTES: readonly string[] = ['source.address'];

/** How long Envoy waits for one answer of the filter before it fails the request. */
const MESSAGE_TIMEOUT = '1s';

export interface ShieldFilterOptions {
  readonly clusterName?: string;
}

/**
 * The HTTP filter (envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter) that asks the shield. It
 * fails closed, sends request headers only, and lets the shield ask for more for a request that needs it.
 */
export function shieldFilterConfig(options: ShieldFilterOptions = {}): EnvoyJson {
  return { name: SHIELD_FILTER_NAME, typed_config: shieldExtProcConfig(options) };
}

/** The filter's own message, for places that wrap it otherwise (extension config discovery). */
export function shieldExtProcConfig(options: ShieldFilterOptions = {}): EnvoyJson {
  return {
    '@type': 'type.googleapis.com/envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor',
    grpc_service: { envoy_grpc: { cluster_name: options.clusterName ?? SHIELD_CLUSTER_NAME } },
    failure_mode_allow: false,
    allow_mode_override: true,
    processing_mode: {
      request_header_mode: 'SEND',
      response_header_mode: 'SKIP',
      request_body_mode: 'NONE',
      response_body_mode: 'NONE',
      request_trailer_mode: 'SKIP',
      response_trailer_mode: 'SKIP',
    },
    request_attributes: [...SHIELD_REQUEST_ATTRIBUTES],
    message_timeout: MESSAGE_TIMEOUT,
    // The route was chosen for the request that the filter judged; nothing it changes chooses another.
    route_cache_action: 'RETAIN',
    metadata_options: { receiving_namespaces: { untyped: [SHIELD_METADATA_NAMESPACE] } },
    // Envoy keeps host, method, scheme and its own headers from being changed. What decides where a message ends is kept, too.
    // A header that should have gone and stays would be a silent pass, so it is an error.
    mutation_rules: {
      disallow_expression: { regex: '^(?:connection|content-length|te|trailer|transfer-encoding|upgrade)$' },
      disallow_is_error: true,
    },
  };
}

export type ShieldAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

/**
 * Where the threads of one filter listen. Thread 0 has the filter's own address, thread n the same socket path with `.n`
 * behind it, or the port plus n.
 */
export function shieldThreadAddress(address: ShieldAddress, thread: number): ShieldAddress {
  if (thread === 0) return address;
  return address.kind === 'unix'
    ? { kind: 'unix', path: `${address.path}.${thread}` }
    : { kind: 'tcp', host: address.host, port: address.port + thread };
}

export function shieldThreadAddresses(address: ShieldAddress, threads: number): ShieldAddress[] {
  return Array.from({ length: threads }, (_, thread) => shieldThreadAddress(address, thread));
}

/**
 * The cluster (envoy.config.cluster.v3.Cluster) behind the filter, one endpoint for each of its threads. With several,
 * Envoy looks which of them answer: a thread that is not there yet (the filter is being restarted with more of them) gets no
 * request, and where none answers, all are tried.
 */
export function shieldClusterConfig(addresses: readonly ShieldAddress[], options: ShieldFilterOptions = {}): EnvoyJson {
  const name = options.clusterName ?? SHIELD_CLUSTER_NAME;
  return {
    name,
    type: 'STATIC',
    connect_timeout: '1s',
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
    // Each request in flight is one stream to the filter; Envoy's default of 1024 would fail requests under load.
    circuit_breakers: {
      thresholds: [{ max_connections: 1024, max_pending_requests: 100_000, max_requests: 100_000 }],
    },
    ...(addresses.length > 1 && SPREAD_OVER_THREADS),
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: addresses.map((address) => ({ endpoint: { address: toEnvoyAddress(address) } })) }],
    },
  };
}

/** A threshold of 1 % is below one of 64 threads: only where none is healthy are all of them asked. */
const SPREAD_OVER_THREADS: EnvoyJson = {
  lb_policy: 'LEAST_REQUEST',
  common_lb_config: { healthy_panic_threshold: { value: 1 } },
  health_checks: [
    {
      timeout: '1s',
      interval: '1s',
      unhealthy_interval: '0.2s',
      no_traffic_interval: '1s',
      unhealthy_threshold: 1,
      healthy_threshold: 1,
      tcp_health_check: {},
    },
  ],
};

function toEnvoyAddress(address: ShieldAddress): EnvoyJson {
  return address.kind === 'unix'
    ? { pipe: { path: address.path } }
    : { socket_address: { address: address.host, port_value: address.port } };
}

/** What Envoy holds of a request's body by default (`per_connection_buffer_limit_bytes` of a listener). */
export const ENVOY_BUFFER_DEFAULT_BYTES = 1024 * 1024;

/**
 * Headers of which upstreams take another path than that of the request: gunicorn, which believes its neighbours by default,
 * cuts SCRIPT_NAME from the path, so that `/x/guarded` is served as `/guarded`.
 */
const PATH_HEADERS = ['script_name', 'path_info'];

/** Takes headers from every request before anything looks at it, also before routes without the filter. */
const WITHOUT_PATH_HEADERS: EnvoyJson = {
  name: 'flotilla.without_path_headers',
  typed_config: {
    '@type': 'type.googleapis.com/envoy.extensions.http.early_header_mutation.header_mutation.v3.HeaderMutation',
    mutations: PATH_HEADERS.map((remove) => ({ remove })),
  },
};

/**
 * Fields that the HTTP connection manager must have so that proxy, filter and upstream see the same request: the peer's
 * address is authoritative, the path is normalised before anybody looks at it, and no header names another one.
 *
 * Of an HTTP/2 request Envoy holds as much as its stream's window lets in, and hands the filter a cut body above that
 * (seen: 80 KiB of 1 MiB with a window of 64 KiB). The default window of 1.36 is 256 MiB, one message of which would be
 * more than the filter takes. So it is set to what is held of a body.
 */
export function shieldConnectionManagerFields(
  options: { readonly xffTrustedHops?: number; readonly bufferBytes?: number } = {},
): EnvoyJson {
  return {
    http2_protocol_options: { initial_stream_window_size: options.bufferBytes ?? ENVOY_BUFFER_DEFAULT_BYTES },
    use_remote_address: true,
    xff_num_trusted_hops: options.xffTrustedHops ?? 0,
    normalize_path: true,
    merge_slashes: true,
    path_with_escaped_slashes_action: 'UNESCAPE_AND_FORWARD',
    early_header_mutation_extensions: [WITHOUT_PATH_HEADERS],
  };
}
