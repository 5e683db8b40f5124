import type { JsonObject } from '@bufbuild/protobuf';
import { CLUSTER, createBase, ENDPOINT, each, one, url, type VerdictCase } from './case.ts';

export const clusterCases: readonly VerdictCase[] = [
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

export const secretCases: readonly VerdictCase[] = [
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
