import type { JsonValue } from '@bufbuild/protobuf';
import { each, FILTERS, HCM, http, one, ROUTER, url, type VerdictCase } from './case.ts';

export const httpManagerCases: readonly VerdictCase[] = [
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
