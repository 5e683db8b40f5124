/** A JSON value in Envoy's proto-JSON, with snake_case field names. */
export type EnvoyJson = { readonly [field: string]: unknown };

export const SHIELD_FILTER_NAME = 'envoy.filters.http.ext_proc';
export const SHIELD_CLUSTER_NAME = 'flotilla_shield';
/** Namespace of the filter's dynamic metadata: `%DYNAMIC_METADATA(flotilla.shield:subject)%` in access logs. */
export const SHIELD_METADATA_NAMESPACE = 'flotilla.shield';

/** Attributes that Envoy must send with the request headers. */
export const SHIELD_REQUEST_ATTRIBUTES: readonly string[] = ['source.address'];

/** How long Envoy waits for one response from the filter before it fails the request. */
const MESSAGE_TIMEOUT = '1s';

/**
 * While one filter process takes over from another, nothing listens for some milliseconds. Only requests that did not
 * get to a filter are retried: one that crashed a filter must not be sent to the next.
 */
const RETRY_UNSENT: EnvoyJson = {
  retry_on: 'connect-failure,refused-stream,reset-before-request',
  num_retries: 30,
  retry_back_off: { base_interval: '0.005s', max_interval: '0.05s' },
};

export interface ShieldFilterOptions {
  readonly clusterName?: string;
}

/**
 * The HTTP filter (envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter) that calls the shield. It
 * fails closed, sends only request headers, and lets the shield request more when needed.
 */
export function shieldFilterConfig(options: ShieldFilterOptions = {}): EnvoyJson {
  return { name: SHIELD_FILTER_NAME, typed_config: shieldExtProcConfig(options) };
}

/** The message of the filter, for other wrappings (extension config discovery). */
export function shieldExtProcConfig(options: ShieldFilterOptions = {}): EnvoyJson {
  return {
    '@type': 'type.googleapis.com/envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor',
    grpc_service: {
      envoy_grpc: { cluster_name: options.clusterName ?? SHIELD_CLUSTER_NAME },
      retry_policy: RETRY_UNSENT,
    },
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
    // The route was chosen for the request that the filter decided; the filter's changes must not select another.
    route_cache_action: 'RETAIN',
    metadata_options: { receiving_namespaces: { untyped: [SHIELD_METADATA_NAMESPACE] } },
    // Envoy protects host, method, scheme and its own headers from changes; headers that frame a message are protected
    // here. An ignored removal of a header would be a silent bypass, so it is an error.
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
 * The address of a filter's thread. Thread 0 has the filter's own address, thread n the socket path with `.n` appended,
 * or the port plus n.
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
 * The cluster (envoy.config.cluster.v3.Cluster) of the filter, with one endpoint per thread. If there are several,
 * Envoy checks their health: a thread that does not exist yet (while the filter restarts with more threads) gets no
 * request, and if none answers, all are tried.
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
    // Each request in flight is one stream to the filter; Envoy's defaults of 1024 streams and 3 retries would fail
    // requests under load.
    circuit_breakers: {
      thresholds: [
        { max_connections: 1024, max_pending_requests: 100_000, max_requests: 100_000, max_retries: 100_000 },
      ],
    },
    ...(addresses.length > 1 && SPREAD_OVER_THREADS),
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: addresses.map((address) => ({ endpoint: { address: toEnvoyAddress(address) } })) }],
    },
  };
}

/** A threshold of 1 % is below one of 64 threads: all are used only if none is healthy. */
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

/** Envoy's default buffer for a request body (`per_connection_buffer_limit_bytes` of a listener). */
export const ENVOY_BUFFER_DEFAULT_BYTES = 1024 * 1024;

/**
 * Headers from which upstreams derive another path: gunicorn, which trusts its neighbours by default, cuts SCRIPT_NAME
 * from the path, so `/x/guarded` is served as `/guarded`.
 */
const PATH_HEADERS = ['script_name', 'path_info'];

/** Removes headers from every request before anything reads it, also on routes without the filter. */
const WITHOUT_PATH_HEADERS: EnvoyJson = {
  name: 'flotilla.without_path_headers',
  typed_config: {
    '@type': 'type.googleapis.com/envoy.extensions.http.early_header_mutation.header_mutation.v3.HeaderMutation',
    mutations: PATH_HEADERS.map((remove) => ({ remove })),
  },
};

/**
 * Fields of the HTTP connection manager that make proxy, filter and upstream see the same request: the peer's address
 * is authoritative, the path is normalized first, and no header gives another path.
 *
 * For an HTTP/2 request, Envoy buffers as much as the stream's window allows, and sends the filter a truncated body
 * above that (observed: 80 KiB of 1 MiB with a window of 64 KiB). The default window of 1.36 is 256 MiB, and a message
 * of that size would exceed what the filter accepts. Therefore the window is set to the body buffer.
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
