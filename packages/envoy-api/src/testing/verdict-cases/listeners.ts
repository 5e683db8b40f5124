import type { JsonObject } from '@bufbuild/protobuf';
import { each, HCM, LISTENER, one, url, type VerdictCase } from './case.ts';

export const listenerCases: readonly VerdictCase[] = [
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
  one('downstream TLS with an inline key that is no key', `${LISTENER}.filter_chains.0.transport_socket`, {
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

export const typedStructCases: readonly VerdictCase[] = (
  ['xds.type.v3.TypedStruct', 'udpa.type.v1.TypedStruct'] as const
).flatMap((type) => {
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
