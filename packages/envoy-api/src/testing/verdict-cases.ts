import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

/** A bootstrap: the base with values set at places. `undefined` removes a place. */
export interface VerdictCase {
  readonly name: string;
  readonly set: Readonly<Record<string, JsonValue | undefined>>;
}

const LISTENER = 'static_resources.listeners.0';
const HCM = `${LISTENER}.filter_chains.0.filters.0.typed_config`;
const HOST = `${HCM}.route_config.virtual_hosts.0`;
const ROUTE = `${HOST}.routes.0`;
const CLUSTER = 'static_resources.clusters.0';
const ENDPOINT = `${CLUSTER}.load_assignment.endpoints.0.lb_endpoints.0`;
const FILTERS = `${HCM}.http_filters`;

const url = (name: string) => `type.googleapis.com/${name}`;
const http = (name: string) => url(`envoy.extensions.filters.http.${name}`);
const ROUTER: JsonObject = { name: 'envoy.filters.http.router', typed_config: { '@type': http('router.v3.Router') } };

/** A bootstrap that every supported Envoy accepts: one listener, one route, one cluster. */
export function createBase(): JsonObject {
  return {
    node: { id: 'n', cluster: 'c' },
    static_resources: {
      listeners: [
        {
          name: 'l',
          address: { socket_address: { address: '127.0.0.1', port_value: 0 } },
          filter_chains: [
            {
              filters: [
                {
                  name: 'envoy.filters.network.http_connection_manager',
                  typed_config: {
                    '@type': url('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'),
                    stat_prefix: 'in',
                    route_config: {
                      name: 'r',
                      virtual_hosts: [
                        { name: 'h', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'c' } }] },
                      ],
                    },
                    http_filters: [structuredClone(ROUTER)],
                  },
                },
              ],
            },
          ],
        },
      ],
      clusters: [
        {
          name: 'c',
          type: 'STATIC',
          connect_timeout: '1s',
          load_assignment: {
            cluster_name: 'c',
            endpoints: [
              {
                lb_endpoints: [{ endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: 9 } } } }],
              },
            ],
          },
        },
      ],
    },
  };
}

export function buildCase({ set }: VerdictCase): JsonObject {
  const json = createBase();
  for (const [place, value] of Object.entries(set)) put(json, place.split('.'), value);
  return json;
}

function put(root: JsonObject, keys: readonly string[], value: JsonValue | undefined): void {
  let at = root as Record<string, JsonValue>;
  for (const key of keys.slice(0, -1)) {
    at[key] ??= {};
    at = at[key] as Record<string, JsonValue>;
  }
  const last = keys.at(-1) ?? '';
  if (value === undefined) delete at[last];
  else at[last] = value;
}

function one(name: string, place: string, value: JsonValue | undefined): VerdictCase {
  return { name, set: { [place]: value } };
}

/** The same place with several values; the case is named after the value. */
function each(name: string, place: string, values: readonly JsonValue[]): VerdictCase[] {
  return values.map((value) => one(`${name} = ${JSON.stringify(value).slice(0, 60)}`, place, value));
}

/** An HTTP filter before the router. */
function filter(name: string, type: string, config: JsonObject): VerdictCase {
  return one(`filter ${name}`, FILTERS, [{ name: 'f', typed_config: { '@type': http(type), ...config } }, ROUTER]);
}

const core: VerdictCase[] = [
  { name: 'the base', set: {} },
  one('unknown field at the root', 'statc_resources', {}),
  one('unknown field in an Any', `${HCM}.stat_prefx`, 'x'),
  one('camelCase field names', `${HCM}.statPrefix`, undefined),
  { name: 'camelCase in an Any', set: { [`${HCM}.stat_prefix`]: undefined, [`${HCM}.statPrefix`]: 'in' } },
  one('null for a field', `${CLUSTER}.lb_policy`, null),
  one('null for a repeated field', `${CLUSTER}.health_checks`, null),
  one('null inside a list', `${HOST}.domains`, ['a.example', null]),
  one('node id missing', 'node.id', undefined),
  one('node metadata of every kind', 'node.metadata', { a: [1, 'x', null, true, { b: {} }] }),
  one('node metadata that is a list', 'node.metadata', [1]),
  one('admin with an address', 'admin', { address: { socket_address: { address: '127.0.0.1', port_value: 0 } } }),
  one('admin with an unknown field', 'admin', { adress: {} }),
  one('flags path', 'flags_path', '/nowhere'),
  one('stats flush interval', 'stats_flush_interval', '5s'),
  one('stats flush interval too short', 'stats_flush_interval', '0s'),
  one('stats flush interval too long', 'stats_flush_interval', '400s'),
  one('stats flush on admin false', 'stats_flush_on_admin', false),
  ...each('watchdog multikill threshold', 'watchdogs', [
    { main_thread_watchdog: { multikill_threshold: { value: 50 } } },
    { main_thread_watchdog: { multikill_threshold: { value: 'x' } } },
  ]),
  one('layered runtime', 'layered_runtime', { layers: [{ name: 's', static_layer: { a: 1 } }] }),
  one('layer without a name', 'layered_runtime', { layers: [{ static_layer: { a: 1 } }] }),
  one('layer without a specifier', 'layered_runtime', { layers: [{ name: 's' }] }),
  one('overload manager', 'overload_manager', {
    resource_monitors: [
      {
        name: 'envoy.resource_monitors.global_downstream_max_connections',
        typed_config: {
          '@type': url('envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig'),
          max_active_downstream_connections: '100',
        },
      },
    ],
  }),
  one('overload manager with zero connections', 'overload_manager', {
    resource_monitors: [
      {
        name: 'envoy.resource_monitors.global_downstream_max_connections',
        typed_config: {
          '@type': url('envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig'),
          max_active_downstream_connections: '0',
        },
      },
    ],
  }),
  one('stats tag without a name', 'stats_config', { stats_tags: [{ regex: 'a(b)' }] }),
  one('histogram bucket of zero', 'stats_config', {
    histogram_bucket_settings: [{ match: { prefix: 'a' }, buckets: [0] }],
  }),
  one('histogram buckets twice', 'stats_config', {
    histogram_bucket_settings: [{ match: { prefix: 'a' }, buckets: [1, 1] }],
  }),
  one('deprecated config source type', 'dynamic_resources', { ads_config: { grpc_services: [] } }),
  one('ads over gRPC', 'dynamic_resources', {
    ads_config: {
      api_type: 'GRPC',
      transport_api_version: 'V3',
      grpc_services: [{ envoy_grpc: { cluster_name: 'c' } }],
    },
  }),
  one('ads with two target specifiers', 'dynamic_resources', {
    ads_config: {
      api_type: 'GRPC',
      grpc_services: [{ envoy_grpc: { cluster_name: 'c' }, google_grpc: { target_uri: 'x', stat_prefix: 'y' } }],
    },
  }),
  one('ads without a target', 'dynamic_resources', { ads_config: { api_type: 'GRPC', grpc_services: [{}] } }),
];

const listeners: VerdictCase[] = [
  ...each('listener port', `${LISTENER}.address.socket_address.port_value`, [0, 65535, 65536, -1, '1', 1.5, 'x', null]),
  one('listener address missing', `${LISTENER}.address`, undefined),
  one('listener address empty', `${LISTENER}.address.socket_address.address`, ''),
  one('listener with two addresses', `${LISTENER}.address.pipe`, { path: '/run/x.sock' }),
  one('listener without filter chains', `${LISTENER}.filter_chains`, []),
  ...each('per connection buffer', `${LISTENER}.per_connection_buffer_limit_bytes`, [1, 4294967295, 4294967296, '5']),
  ...each('listener filters timeout', `${LISTENER}.listener_filters_timeout`, [
    '15s',
    '0s',
    '-1s',
    '1',
    '1.5s',
    '1ms',
    5,
  ]),
  ...each('traffic direction', `${LISTENER}.traffic_direction`, ['INBOUND', 'OUTBOUND', 'inbound', 2, 77, 'SIDEWAYS']),
  one('listener filter inspector', `${LISTENER}.listener_filters`, [
    { name: 't', typed_config: { '@type': url('envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector') } },
  ]),
  one('listener filter of an unknown type', `${LISTENER}.listener_filters`, [
    { name: 't', typed_config: { '@type': url('envoy.extensions.filters.listener.tls_inspektor.v3.TlsInspector') } },
  ]),
  one('listener filter without a name', `${LISTENER}.listener_filters`, [
    { typed_config: { '@type': url('envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector') } },
  ]),
  one('filter chain match', `${LISTENER}.filter_chains.0.filter_chain_match`, { server_names: ['a.example'] }),
  one('filter chain match port 0', `${LISTENER}.filter_chains.0.filter_chain_match`, { destination_port: 0 }),
  one('filter chain match prefix length', `${LISTENER}.filter_chains.0.filter_chain_match`, {
    prefix_ranges: [{ address_prefix: '192.0.2.0', prefix_len: 129 }],
  }),
  one('filter chain match address missing', `${LISTENER}.filter_chains.0.filter_chain_match`, {
    prefix_ranges: [{ prefix_len: 8 }],
  }),
  one('network filter without a name', `${LISTENER}.filter_chains.0.filters.0.name`, ''),
  one('network filter type missing', `${HCM}.@type`, undefined),
  one('network filter type without a slash', `${HCM}.@type`, 'envoy.extensions.filters.network.echo.v3.Echo'),
  one('tcp proxy', `${LISTENER}.filter_chains.0.filters`, [
    {
      name: 'tcp',
      typed_config: {
        '@type': url('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy'),
        stat_prefix: 't',
        cluster: 'c',
      },
    },
  ]),
  one('tcp proxy without a cluster', `${LISTENER}.filter_chains.0.filters`, [
    {
      name: 'tcp',
      typed_config: { '@type': url('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy'), stat_prefix: 't' },
    },
  ]),
  one('tcp proxy with zero attempts', `${LISTENER}.filter_chains.0.filters`, [
    {
      name: 'tcp',
      typed_config: {
        '@type': url('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy'),
        stat_prefix: 't',
        cluster: 'c',
        max_connect_attempts: 0,
      },
    },
  ]),
  one('downstream TLS with an inline key that is none', `${LISTENER}.filter_chains.0.transport_socket`, {
    name: 'tls',
    typed_config: {
      '@type': url('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext'),
      common_tls_context: { tls_params: { tls_minimum_protocol_version: 'TLSv1_9' } },
    },
  }),
  one('raw buffer transport', `${LISTENER}.filter_chains.0.transport_socket`, {
    name: 'raw',
    typed_config: { '@type': url('envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer') },
  }),
  one('transport socket without a name', `${LISTENER}.filter_chains.0.transport_socket`, {
    typed_config: { '@type': url('envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer') },
  }),
  one('access log to stdout', `${HCM}.access_log`, [
    { name: 'a', typed_config: { '@type': url('envoy.extensions.access_loggers.stream.v3.StdoutAccessLog') } },
  ]),
  one('access log file without a path', `${HCM}.access_log`, [
    { name: 'a', typed_config: { '@type': url('envoy.extensions.access_loggers.file.v3.FileAccessLog') } },
  ]),
  one('access log filter', `${HCM}.access_log`, [
    {
      name: 'a',
      filter: { status_code_filter: { comparison: { op: 'GE', value: { default_value: 500, runtime_key: 'k' } } } },
      typed_config: { '@type': url('envoy.extensions.access_loggers.stream.v3.StdoutAccessLog') },
    },
  ]),
  one('access log filter without a runtime key', `${HCM}.access_log`, [
    {
      name: 'a',
      filter: { status_code_filter: { comparison: { op: 'GE', value: { default_value: 500 } } } },
      typed_config: { '@type': url('envoy.extensions.access_loggers.stream.v3.StdoutAccessLog') },
    },
  ]),
];

const structs: VerdictCase[] = (['xds.type.v3.TypedStruct', 'udpa.type.v1.TypedStruct'] as const).flatMap((type) => {
  const log = (value: JsonObject) => [
    {
      name: 'a',
      typed_config: {
        '@type': url(type),
        type_url: url('envoy.extensions.access_loggers.file.v3.FileAccessLog'),
        value,
      },
    },
  ];
  return [
    one(`access log by ${type}`, `${HCM}.access_log`, log({ path: '/dev/null' })),
    one(`access log by ${type}, unknown field`, `${HCM}.access_log`, log({ path: '/dev/null', paht: 'x' })),
    one(`access log by ${type}, rule broken`, `${HCM}.access_log`, log({ path: '' })),
    one(
      `access log by ${type}, two arms`,
      `${HCM}.access_log`,
      log({ path: '/dev/null', format: 'a', json_format: {} }),
    ),
  ];
});

const manager: VerdictCase[] = [
  one('stat prefix empty', `${HCM}.stat_prefix`, ''),
  one('no route specifier', `${HCM}.route_config`, undefined),
  one('two route specifiers', `${HCM}.rds`, { route_config_name: 'x', config_source: { ads: {} } }),
  ...each('codec', `${HCM}.codec_type`, ['AUTO', 'HTTP1', 'HTTP2', 'HTTP9', 2]),
  ...each('server name', `${HCM}.server_name`, ['x', 'a\nb', 'a\u0000b']),
  ...each('max headers', `${HCM}.max_request_headers_kb`, [1, 0, 8192, 8193]),
  ...each('stream idle timeout', `${HCM}.stream_idle_timeout`, ['0s', '5m', '300s']),
  one('http2 options', `${HCM}.http2_protocol_options`, {
    max_concurrent_streams: 100,
    initial_stream_window_size: 65536,
  }),
  one('http2 streams 0', `${HCM}.http2_protocol_options`, { max_concurrent_streams: 0 }),
  one('http2 window too small', `${HCM}.http2_protocol_options`, { initial_stream_window_size: 65534 }),
  one('common options', `${HCM}.common_http_protocol_options`, { idle_timeout: '30s', max_headers_count: 1 }),
  one('common options count 0', `${HCM}.common_http_protocol_options`, { max_headers_count: 0 }),
  one('tracing percent', `${HCM}.tracing`, { random_sampling: { value: 50 } }),
  one('tracing percent too much', `${HCM}.tracing`, { random_sampling: { value: 101 } }),
  one('upgrade', `${HCM}.upgrade_configs`, [{ upgrade_type: 'websocket' }]),
  one('no http filters', FILTERS, []),
  one('router not last', FILTERS, [ROUTER, ROUTER]),
  one('http filter without a name', FILTERS, [{ typed_config: ROUTER.typed_config as JsonValue }]),
  one('http filter without a type', FILTERS, [{ name: 'x' }, ROUTER]),
  one('http filter unknown', FILTERS, [{ name: 'x', typed_config: { '@type': http('nothing.v3.Nothing') } }, ROUTER]),
  one('http filter by ECDS', FILTERS, [
    { name: 'x', config_discovery: { config_source: { ads: {} }, type_urls: [http('router.v3.Router')] } },
    ROUTER,
  ]),
  one('http filter by ECDS without types', FILTERS, [
    { name: 'x', config_discovery: { config_source: { ads: {} } } },
    ROUTER,
  ]),
  one('request id extension', `${HCM}.request_id_extension`, {
    typed_config: { '@type': url('envoy.extensions.request_id.uuid.v3.UuidRequestIdConfig') },
  }),
  one('local reply', `${HCM}.local_reply_config`, { body_format: { text_format_source: { inline_string: 'x' } } }),
  one('local reply mapper without a filter', `${HCM}.local_reply_config`, { mappers: [{ status_code: 200 }] }),
  one('internal address config', `${HCM}.internal_address_config`, {
    cidr_ranges: [{ address_prefix: '192.0.2.0', prefix_len: 24 }],
  }),
  one('forward client cert out of range', `${HCM}.forward_client_cert_details`, 9),
];

const routes: VerdictCase[] = [
  one('domains empty', `${HOST}.domains`, []),
  one('virtual host without a name', `${HOST}.name`, undefined),
  ...each('domain', `${HOST}.domains`, [['a.example', '*.example'], ['a b'], ['a\nb'], 'a', [1]]),
  one('domains twice', `${HOST}.domains`, ['a.example', 'a.example']),
  ...each('require tls', `${HOST}.require_tls`, ['ALL', 'EXTERNAL_ONLY', 'SOME', 9]),
  one('route without match', `${ROUTE}.match`, undefined),
  one('route without action', `${ROUTE}.route`, undefined),
  one('route with two actions', `${ROUTE}.redirect`, {}),
  one('match empty', `${ROUTE}.match`, {}),
  one('match with two paths', `${ROUTE}.match`, { prefix: '/', path: '/x' }),
  one('match regex', `${ROUTE}.match`, { safe_regex: { regex: '/a.*' } }),
  one('match regex empty', `${ROUTE}.match`, { safe_regex: { regex: '' } }),
  one('match regex with google_re2', `${ROUTE}.match`, { safe_regex: { google_re2: {}, regex: '/a.*' } }),
  ...each('match separated prefix', `${ROUTE}.match`, [
    { path_separated_prefix: '/a' },
    { path_separated_prefix: '/a/' },
    { path_separated_prefix: '/a?b' },
    { path_separated_prefix: '/' },
    { path_separated_prefix: '/ü' },
  ]),
  one('match header', `${ROUTE}.match.headers`, [{ name: 'x-a', string_match: { exact: 'b' } }]),
  one('match header without a name', `${ROUTE}.match.headers`, [{ string_match: { exact: 'b' } }]),
  one('match header with a space', `${ROUTE}.match.headers`, [{ name: 'x a', present_match: true }]),
  one('match header with a line break', `${ROUTE}.match.headers`, [{ name: 'x\na', present_match: true }]),
  one('match header deprecated exact', `${ROUTE}.match.headers`, [{ name: 'x-a', exact_match: 'b' }]),
  one('match header empty contains', `${ROUTE}.match.headers`, [{ name: 'x-a', string_match: { contains: '' } }]),
  one('match header range', `${ROUTE}.match.headers`, [{ name: 'x-a', range_match: { start: '1', end: 9 } }]),
  one('match query', `${ROUTE}.match.query_parameters`, [{ name: 'q', present_match: true }]),
  one('match query without a name', `${ROUTE}.match.query_parameters`, [{ present_match: true }]),
  one('match fraction', `${ROUTE}.match.runtime_fraction`, { default_value: { numerator: 5, denominator: 'HUNDRED' } }),
  one('match fraction without a value', `${ROUTE}.match.runtime_fraction`, { runtime_key: 'x' }),
  one('match fraction bad denominator', `${ROUTE}.match.runtime_fraction`, { default_value: { denominator: 3 } }),
  one('route without a cluster', `${ROUTE}.route`, {}),
  one('route to an empty cluster', `${ROUTE}.route`, { cluster: '' }),
  one('route to an unknown cluster', `${ROUTE}.route`, { cluster: 'nowhere' }),
  one('weighted clusters', `${ROUTE}.route`, { weighted_clusters: { clusters: [{ name: 'c', weight: 100 }] } }),
  one('weighted clusters empty', `${ROUTE}.route`, { weighted_clusters: { clusters: [] } }),
  one('weighted clusters of weight 0', `${ROUTE}.route`, {
    weighted_clusters: { clusters: [{ name: 'c', weight: 0 }] },
  }),
  one('cluster header', `${ROUTE}.route`, { cluster_header: 'x-cluster' }),
  one('cluster header with a line break', `${ROUTE}.route`, { cluster_header: 'x\ncluster' }),
  ...each('route timeout', `${ROUTE}.route.timeout`, ['0s', '15s', '-1s', '1x', 15, '0.0000000001s']),
  ...each('prefix rewrite', `${ROUTE}.route.prefix_rewrite`, ['/x', '/a\nb', '/a b']),
  one('host rewrites two', `${ROUTE}.route`, { cluster: 'c', host_rewrite_literal: 'a', auto_host_rewrite: true }),
  one('hash policy', `${ROUTE}.route.hash_policy`, [{ header: { header_name: 'x-a' } }]),
  one('hash policy empty', `${ROUTE}.route.hash_policy`, [{}]),
  one('hash cookie without a name', `${ROUTE}.route.hash_policy`, [{ cookie: { ttl: '1s' } }]),
  one('retry', `${ROUTE}.route.retry_policy`, { retry_on: '5xx', num_retries: 2, per_try_timeout: '1s' }),
  one('retry back-off of zero', `${ROUTE}.route.retry_policy`, { retry_back_off: { base_interval: '0s' } }),
  one('retry back-off without a base', `${ROUTE}.route.retry_policy`, { retry_back_off: { max_interval: '1s' } }),
  one('retry attempts of hosts too many', `${ROUTE}.route.retry_policy`, {
    host_selection_retry_max_attempts: '-9223372036854775809',
  }),
  one('mirror', `${ROUTE}.route.request_mirror_policies`, [{ cluster: 'c' }]),
  one('mirror to nowhere', `${ROUTE}.route.request_mirror_policies`, [{}]),
  one('deprecated max grpc timeout', `${ROUTE}.route.max_grpc_timeout`, '1s'),
  one('rate limit action', `${ROUTE}.route.rate_limits`, [{ actions: [{ remote_address: {} }] }]),
  one('rate limit without actions', `${ROUTE}.route.rate_limits`, [{ stage: 0 }]),
  one('rate limit stage 11', `${ROUTE}.route.rate_limits`, [{ stage: 11, actions: [{ remote_address: {} }] }]),
  one('rate limit action refused by default', `${ROUTE}.route.rate_limits`, [
    { actions: [{ dynamic_metadata: { descriptor_key: 'k', metadata_key: { key: 'm', path: [{ key: 'p' }] } } }] },
  ]),
  {
    name: 'redirect',
    set: { [`${ROUTE}.route`]: undefined, [`${ROUTE}.redirect`]: { host_redirect: 'a.example', https_redirect: true } },
  },
  {
    name: 'redirect two schemes',
    set: { [`${ROUTE}.route`]: undefined, [`${ROUTE}.redirect`]: { scheme_redirect: 'x', https_redirect: true } },
  },
  {
    name: 'redirect code',
    set: { [`${ROUTE}.route`]: undefined, [`${ROUTE}.redirect`]: { response_code: 'TEMPORARY' } },
  },
  {
    name: 'redirect path with a line break',
    set: { [`${ROUTE}.route`]: undefined, [`${ROUTE}.redirect`]: { path_redirect: '/a\nb' } },
  },
  ...[100, 199, 200, 599, 600].map(
    (status): VerdictCase => ({
      name: `direct response ${status}`,
      set: { [`${ROUTE}.route`]: undefined, [`${ROUTE}.direct_response`]: { status, body: { inline_string: 'x' } } },
    }),
  ),
  {
    name: 'direct response empty body',
    set: { [`${ROUTE}.route`]: undefined, [`${ROUTE}.direct_response`]: { status: 200, body: {} } },
  },
  one('header to add', `${ROUTE}.request_headers_to_add`, [{ header: { key: 'x-a', value: 'b' } }]),
  one('header to add without a key', `${ROUTE}.request_headers_to_add`, [{ header: { value: 'b' } }]),
  one('header to add without a header', `${ROUTE}.request_headers_to_add`, [{}]),
  one('header to add with a line break', `${ROUTE}.request_headers_to_add`, [
    { header: { key: 'x-a', value: 'b\r\nc' } },
  ]),
  one('header to add raw and value', `${ROUTE}.request_headers_to_add`, [
    { header: { key: 'x-a', value: 'b', raw_value: 'Yg==' } },
  ]),
  one('header to add raw not base64', `${ROUTE}.request_headers_to_add`, [{ header: { key: 'x-a', raw_value: '!' } }]),
  one('header action out of range', `${ROUTE}.request_headers_to_add`, [
    { header: { key: 'x-a', value: 'b' }, append_action: 9 },
  ]),
  one('header to remove', `${ROUTE}.request_headers_to_remove`, ['x-a']),
  one('header to remove empty', `${ROUTE}.request_headers_to_remove`, ['']),
  one('metadata', `${ROUTE}.metadata`, { filter_metadata: { 'a.b': { c: 1 } } }),
  one('metadata with an empty key', `${ROUTE}.metadata`, { filter_metadata: { '': { c: 1 } } }),
  one('per filter config', `${ROUTE}.typed_per_filter_config`, {
    'envoy.filters.http.cors': { '@type': http('cors.v3.CorsPolicy') },
  }),
  one('cors with an empty matcher', `${HOST}.typed_per_filter_config`, {
    'envoy.filters.http.cors': { '@type': http('cors.v3.CorsPolicy'), allow_origin_string_match: [{}] },
  }),
  one('virtual hosts two of a name', `${HCM}.route_config.virtual_hosts`, [
    { name: 'h', domains: ['a.example'] },
    { name: 'h', domains: ['b.example'] },
  ]),
  one('max direct response size', `${HCM}.route_config.max_direct_response_body_size_bytes`, 1),
];

const clusters: VerdictCase[] = [
  one('cluster without a name', `${CLUSTER}.name`, undefined),
  ...each('cluster type', `${CLUSTER}.type`, [
    'STATIC',
    'STRICT_DNS',
    'LOGICAL_DNS',
    'WHATEVER',
    9,
    'EDS',
    'ORIGINAL_DST',
  ]),
  ...each('connect timeout', `${CLUSTER}.connect_timeout`, ['0.25s', '0s', '-1s']),
  ...each('lb policy', `${CLUSTER}.lb_policy`, [
    'ROUND_ROBIN',
    'LEAST_REQUEST',
    'RANDOM',
    'MAGLEV',
    'RING_HASH',
    'CLUSTER_PROVIDED',
    8,
    99,
  ]),
  one('lb policy config without policies', `${CLUSTER}.lb_policy`, 'LOAD_BALANCING_POLICY_CONFIG'),
  one('ring hash config', `${CLUSTER}.ring_hash_lb_config`, { minimum_ring_size: '8388609' }),
  one('maglev table', `${CLUSTER}.maglev_lb_config`, { table_size: 5000012 }),
  one('least request choices', `${CLUSTER}.least_request_lb_config`, { choice_count: 1 }),
  {
    name: 'least request choices with the policy',
    set: { [`${CLUSTER}.lb_policy`]: 'LEAST_REQUEST', [`${CLUSTER}.least_request_lb_config`]: { choice_count: 3 } },
  },
  one('two lb configs', CLUSTER, {
    ...((createBase().static_resources as JsonObject).clusters as JsonObject[])[0],
    ring_hash_lb_config: {},
    maglev_lb_config: {},
  }),
  one('dns refresh rate', `${CLUSTER}.dns_refresh_rate`, '0.0005s'),
  one('dns lookup family out of range', `${CLUSTER}.dns_lookup_family`, 9),
  one('eds config', CLUSTER, {
    name: 'c',
    type: 'EDS',
    connect_timeout: '1s',
    eds_cluster_config: { eds_config: { ads: {} } },
  }),
  one('eds without a config', CLUSTER, { name: 'c', type: 'EDS', connect_timeout: '1s' }),
  one('load assignment of a STATIC cluster missing', `${CLUSTER}.load_assignment`, undefined),
  one('load assignment without a name', `${CLUSTER}.load_assignment.cluster_name`, undefined),
  ...each('endpoint port', `${ENDPOINT}.endpoint.address.socket_address.port_value`, [80, 65536]),
  one('endpoint without an address', `${ENDPOINT}.endpoint.address`, undefined),
  one(
    'endpoint that is a name in a STATIC cluster',
    `${ENDPOINT}.endpoint.address.socket_address.address`,
    'a.example',
  ),
  ...each('endpoint weight', `${ENDPOINT}.load_balancing_weight`, [1, 0, 4294967295]),
  one('endpoint health', `${ENDPOINT}.health_status`, 'SICK'),
  one('locality weight 0', `${CLUSTER}.load_assignment.endpoints.0.load_balancing_weight`, 0),
  ...each('priority', `${CLUSTER}.load_assignment.endpoints.0.priority`, [0, 129]),
  one('overprovisioning 0', `${CLUSTER}.load_assignment.policy`, { overprovisioning_factor: 0 }),
  one('drop overload', `${CLUSTER}.load_assignment.policy`, {
    drop_overloads: [{ category: '', drop_percentage: { numerator: 1 } }],
  }),
  one('circuit breakers', `${CLUSTER}.circuit_breakers`, { thresholds: [{ max_connections: 1, priority: 'HIGH' }] }),
  one('circuit breakers bad priority', `${CLUSTER}.circuit_breakers`, { thresholds: [{ priority: 5 }] }),
  one('circuit breakers budget percent', `${CLUSTER}.circuit_breakers`, {
    thresholds: [{ retry_budget: { budget_percent: { value: 120 } } }],
  }),
  one('outlier detection', `${CLUSTER}.outlier_detection`, { consecutive_5xx: 3, max_ejection_percent: 100 }),
  one('outlier detection too much', `${CLUSTER}.outlier_detection`, { max_ejection_percent: 101 }),
  one('outlier interval 0', `${CLUSTER}.outlier_detection`, { interval: '0s' }),
  one('health check', `${CLUSTER}.health_checks`, [
    { timeout: '1s', interval: '5s', unhealthy_threshold: 2, healthy_threshold: 2, http_health_check: { path: '/up' } },
  ]),
  one('health check without thresholds', `${CLUSTER}.health_checks`, [
    { timeout: '1s', interval: '5s', http_health_check: { path: '/up' } },
  ]),
  one('health check without a checker', `${CLUSTER}.health_checks`, [
    { timeout: '1s', interval: '5s', unhealthy_threshold: 2, healthy_threshold: 2 },
  ]),
  one('health check timeout 0', `${CLUSTER}.health_checks`, [
    { timeout: '0s', interval: '5s', unhealthy_threshold: 2, healthy_threshold: 2, tcp_health_check: {} },
  ]),
  one('health check path empty', `${CLUSTER}.health_checks`, [
    { timeout: '1s', interval: '5s', unhealthy_threshold: 2, healthy_threshold: 2, http_health_check: { path: '' } },
  ]),
  one('health check host with a line break', `${CLUSTER}.health_checks`, [
    {
      timeout: '1s',
      interval: '5s',
      unhealthy_threshold: 2,
      healthy_threshold: 2,
      http_health_check: { path: '/', host: 'a\nb' },
    },
  ]),
  one('upstream http2', `${CLUSTER}.typed_extension_protocol_options`, {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
      '@type': url('envoy.extensions.upstreams.http.v3.HttpProtocolOptions'),
      explicit_http_config: { http2_protocol_options: {} },
    },
  }),
  one('upstream http without a choice', `${CLUSTER}.typed_extension_protocol_options`, {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
      '@type': url('envoy.extensions.upstreams.http.v3.HttpProtocolOptions'),
    },
  }),
  one('upstream TLS', `${CLUSTER}.transport_socket`, {
    name: 'tls',
    typed_config: { '@type': url('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext'), sni: 'a.example' },
  }),
  one('upstream TLS with a long sni', `${CLUSTER}.transport_socket`, {
    name: 'tls',
    typed_config: {
      '@type': url('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext'),
      sni: 'a'.repeat(256),
    },
  }),
  one('upstream TLS bad version', `${CLUSTER}.transport_socket`, {
    name: 'tls',
    typed_config: {
      '@type': url('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext'),
      common_tls_context: { tls_params: { tls_maximum_protocol_version: 7 } },
    },
  }),
  one('upstream TLS hash of a wrong length', `${CLUSTER}.transport_socket`, {
    name: 'tls',
    typed_config: {
      '@type': url('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext'),
      common_tls_context: { validation_context: { verify_certificate_hash: ['abc'] } },
    },
  }),
  one('preconnect ratio', `${CLUSTER}.preconnect_policy`, { per_upstream_preconnect_ratio: 3.5 }),
  one('slow start aggression', `${CLUSTER}.common_lb_config`, { healthy_panic_threshold: { value: 'NaN' } }),
  one('cleanup interval 0', `${CLUSTER}.cleanup_interval`, '0s'),
  one('wait for warm on init', `${CLUSTER}.wait_for_warm_on_init`, 'yes'),
  one('metadata in a cluster', `${CLUSTER}.metadata`, { filter_metadata: { a: { b: [1] } } }),
  one('clusters two of a name', 'static_resources.clusters.1', {
    ...((createBase().static_resources as JsonObject).clusters as JsonObject[])[0],
  }),
];

const secrets: VerdictCase[] = [
  one('generic secret', 'static_resources.secrets', [
    { name: 's', generic_secret: { secret: { inline_string: 'x' } } },
  ]),
  one('secret with two types', 'static_resources.secrets', [
    { name: 's', generic_secret: { secret: { inline_string: 'x' } }, tls_certificate: {} },
  ]),
  one('secret bytes not base64', 'static_resources.secrets', [
    { name: 's', generic_secret: { secret: { inline_bytes: '***' } } },
  ]),
  one('secret data source empty', 'static_resources.secrets', [{ name: 's', generic_secret: { secret: {} } }]),
  one('session ticket keys', 'static_resources.secrets', [{ name: 's', session_ticket_keys: { keys: [] } }]),
  one('validation context', 'static_resources.secrets', [{ name: 's', validation_context: { max_verify_depth: 101 } }]),
];

const filters: VerdictCase[] = [
  filter('router only', 'router.v3.Router', { strict_check_headers: ['x-nothing'] }),
  filter('buffer', 'buffer.v3.Buffer', { max_request_bytes: 1024 }),
  filter('buffer of zero', 'buffer.v3.Buffer', { max_request_bytes: 0 }),
  filter('buffer without a limit', 'buffer.v3.Buffer', {}),
  filter('cors', 'cors.v3.Cors', {}),
  filter('csrf', 'csrf.v3.CsrfPolicy', { filter_enabled: { default_value: { numerator: 1 } } }),
  filter('csrf without enabled', 'csrf.v3.CsrfPolicy', {}),
  filter('fault', 'fault.v3.HTTPFault', { abort: { http_status: 503, percentage: { numerator: 1 } } }),
  filter('fault status 199', 'fault.v3.HTTPFault', { abort: { http_status: 199, percentage: { numerator: 1 } } }),
  filter('fault status 600', 'fault.v3.HTTPFault', { abort: { http_status: 600, percentage: { numerator: 1 } } }),
  filter('fault delay 0', 'fault.v3.HTTPFault', { delay: { fixed_delay: '0s', percentage: { numerator: 1 } } }),
  filter('local rate limit', 'local_ratelimit.v3.LocalRateLimit', {
    stat_prefix: 'x',
    token_bucket: { max_tokens: 1, tokens_per_fill: 1, fill_interval: '1s' },
  }),
  filter('local rate limit without tokens', 'local_ratelimit.v3.LocalRateLimit', {
    stat_prefix: 'x',
    token_bucket: { max_tokens: 0, fill_interval: '1s' },
  }),
  filter('local rate limit without an interval', 'local_ratelimit.v3.LocalRateLimit', {
    stat_prefix: 'x',
    token_bucket: { max_tokens: 1 },
  }),
  filter('local rate limit without a prefix', 'local_ratelimit.v3.LocalRateLimit', {}),
  filter('rate limit', 'ratelimit.v3.RateLimit', {
    domain: 'd',
    rate_limit_service: { transport_api_version: 'V3', grpc_service: { envoy_grpc: { cluster_name: 'c' } } },
  }),
  filter('rate limit without a domain', 'ratelimit.v3.RateLimit', {
    rate_limit_service: { transport_api_version: 'V3', grpc_service: { envoy_grpc: { cluster_name: 'c' } } },
  }),
  filter('rate limit without a service', 'ratelimit.v3.RateLimit', { domain: 'd' }),
  filter('rate limit request type', 'ratelimit.v3.RateLimit', {
    domain: 'd',
    request_type: 'sometimes',
    rate_limit_service: { transport_api_version: 'V3', grpc_service: { envoy_grpc: { cluster_name: 'c' } } },
  }),
  filter('external processor', 'ext_proc.v3.ExternalProcessor', {
    grpc_service: { envoy_grpc: { cluster_name: 'c' } },
    processing_mode: { request_header_mode: 'SEND', response_header_mode: 'SKIP' },
    allow_mode_override: true,
  }),
  filter('external processor mode unknown', 'ext_proc.v3.ExternalProcessor', {
    grpc_service: { envoy_grpc: { cluster_name: 'c' } },
    processing_mode: { request_body_mode: 77 },
  }),
  filter('external processor timeout too long', 'ext_proc.v3.ExternalProcessor', {
    grpc_service: { envoy_grpc: { cluster_name: 'c' } },
    message_timeout: '3601s',
  }),
  filter('external authorization', 'ext_authz.v3.ExtAuthz', {
    transport_api_version: 'V3',
    grpc_service: { envoy_grpc: { cluster_name: 'c' } },
  }),
  filter('external authorization bytes 0', 'ext_authz.v3.ExtAuthz', {
    transport_api_version: 'V3',
    grpc_service: { envoy_grpc: { cluster_name: 'c' } },
    with_request_body: { max_request_bytes: 0 },
  }),
  filter('rbac', 'rbac.v3.RBAC', {
    rules: { action: 'ALLOW', policies: { p: { permissions: [{ any: true }], principals: [{ any: true }] } } },
  }),
  filter('rbac without permissions', 'rbac.v3.RBAC', { rules: { policies: { p: { principals: [{ any: true }] } } } }),
  filter('rbac any false', 'rbac.v3.RBAC', {
    rules: { policies: { p: { permissions: [{ any: false }], principals: [{ any: true }] } } },
  }),
  filter('rbac empty principal', 'rbac.v3.RBAC', {
    rules: { policies: { p: { permissions: [{ any: true }], principals: [{}] } } },
  }),
  filter('jwt', 'jwt_authn.v3.JwtAuthentication', {
    providers: {
      p: {
        local_jwks: {
          inline_string: '{"keys":[{"kty":"oct","alg":"HS256","k":"c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I"}]}',
        },
      },
    },
    rules: [{ match: { prefix: '/' }, requires: { provider_name: 'p' } }],
  }),
  filter('jwt without a match', 'jwt_authn.v3.JwtAuthentication', { rules: [{ requires: { provider_name: 'p' } }] }),
  filter('jwt remote keys without a uri', 'jwt_authn.v3.JwtAuthentication', { providers: { p: { remote_jwks: {} } } }),
  filter('jwt header with a line break', 'jwt_authn.v3.JwtAuthentication', {
    providers: { p: { local_jwks: { inline_string: '{"keys":[]}' }, forward_payload_header: 'a\nb' } },
  }),
  filter('lua', 'lua.v3.Lua', { default_source_code: { inline_string: 'function envoy_on_request(h) end' } }),
  filter('lua deprecated code', 'lua.v3.Lua', { inline_code: 'function envoy_on_request(h) end' }),
  filter('compressor', 'compressor.v3.Compressor', {
    compressor_library: {
      name: 'g',
      typed_config: { '@type': url('envoy.extensions.compression.gzip.compressor.v3.Gzip'), window_bits: 12 },
    },
  }),
  filter('compressor window', 'compressor.v3.Compressor', {
    compressor_library: {
      name: 'g',
      typed_config: { '@type': url('envoy.extensions.compression.gzip.compressor.v3.Gzip'), window_bits: 16 },
    },
  }),
  filter('compressor without a library', 'compressor.v3.Compressor', {}),
  filter('health check', 'health_check.v3.HealthCheck', {
    pass_through_mode: false,
    headers: [{ name: ':path', string_match: { exact: '/up' } }],
  }),
  filter('health check without a mode', 'health_check.v3.HealthCheck', {}),
  filter('grpc web', 'grpc_web.v3.GrpcWeb', {}),
  filter('header to metadata', 'header_to_metadata.v3.Config', {
    request_rules: [{ header: 'x-a', on_header_present: { metadata_namespace: 'n', key: 'k' } }],
  }),
  filter('header to metadata type', 'header_to_metadata.v3.Config', {
    request_rules: [{ header: 'x-a', on_header_present: { key: 'k', type: 9 } }],
  }),
  filter('set metadata', 'set_metadata.v3.Config', { metadata: [{ metadata_namespace: 'n', value: { a: 1 } }] }),
  filter('set metadata without a namespace', 'set_metadata.v3.Config', { metadata: [{ value: { a: 1 } }] }),
  filter('bandwidth limit', 'bandwidth_limit.v3.BandwidthLimit', {
    stat_prefix: 'b',
    enable_mode: 'REQUEST',
    limit_kbps: '100',
  }),
  filter('bandwidth limit of zero', 'bandwidth_limit.v3.BandwidthLimit', {
    stat_prefix: 'b',
    enable_mode: 'REQUEST',
    limit_kbps: '0',
  }),
  filter('bandwidth interval', 'bandwidth_limit.v3.BandwidthLimit', {
    stat_prefix: 'b',
    enable_mode: 'REQUEST',
    limit_kbps: '9',
    fill_interval: '2s',
  }),
  filter('admission control', 'admission_control.v3.AdmissionControl', { success_criteria: { http_criteria: {} } }),
  filter('admission control without criteria', 'admission_control.v3.AdmissionControl', {}),
  filter('oauth2 without a config', 'oauth2.v3.OAuth2', {}),
  filter('basic auth', 'basic_auth.v3.BasicAuth', { users: { inline_string: 'u:{SHA}2kuSN7rMzfGcB2DKt67EqDWQELA=' } }),
  filter('api key auth', 'api_key_auth.v3.ApiKeyAuth', {
    credentials: [{ key: 'k', client: 'c' }],
    key_sources: [{ header: 'x-key' }],
  }),
  filter('api key auth header with a line break', 'api_key_auth.v3.ApiKeyAuth', {
    credentials: [{ key: 'k', client: 'c' }],
    key_sources: [{ header: 'x\nkey' }],
  }),
  filter('stateful session', 'stateful_session.v3.StatefulSession', {
    session_state: {
      name: 'envoy.http.stateful_session.cookie',
      typed_config: {
        '@type': url('envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState'),
        cookie: { name: 'c' },
      },
    },
  }),
  filter('stateful session cookie without a name', 'stateful_session.v3.StatefulSession', {
    session_state: {
      name: 'envoy.http.stateful_session.cookie',
      typed_config: {
        '@type': url('envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState'),
        cookie: {},
      },
    },
  }),
  filter('composite', 'composite.v3.Composite', {}),
  filter('ip tagging', 'ip_tagging.v3.IPTagging', {
    ip_tags: [{ ip_tag_name: 't', ip_list: [{ address_prefix: '192.0.2.0', prefix_len: 24 }] }],
  }),
  filter('original source', 'original_src.v3.OriginalSrc', { mark: 1 }),
];

export const VERDICT_CASES: readonly VerdictCase[] = [
  ...core,
  ...listeners,
  ...structs,
  ...manager,
  ...routes,
  ...clusters,
  ...secrets,
  ...filters,
];
