import { CLUSTER, each, HCM, HOST, one, url, type VerdictCase } from './case.ts';

export const bootstrapCases: readonly VerdictCase[] = [
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
