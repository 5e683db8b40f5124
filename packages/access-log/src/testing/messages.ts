import { loadEnvoyApi } from '@flotilla/envoy-api';

type Json = Parameters<Awaited<ReturnType<typeof loadEnvoyApi>>['encode']>[1];

const MESSAGE = 'envoy.service.accesslog.v3.StreamAccessLogsMessage';
const api = await loadEnvoyApi({ version: '1.40.0' });

/** The bytes that Envoy sends, made from its own descriptors. */
export function encodeMessage(json: Json): Buffer {
  const encoded = api.encode(MESSAGE, json);
  if (!encoded.ok) throw new Error(JSON.stringify(encoded.error[0]));
  return Buffer.from(encoded.value);
}

export function encodeRequests(...entries: Json[]): Buffer {
  return encodeMessage({ http_logs: { log_entry: entries } });
}

export function encodeConnections(...entries: Json[]): Buffer {
  return encodeMessage({ tcp_logs: { log_entry: entries } });
}

export const COMMON = {
  downstream_remote_address: { socket_address: { address: '203.0.113.7', port_value: 40_000 } },
  downstream_direct_remote_address: { socket_address: { address: '198.51.100.1', port_value: 40_000 } },
  tls_properties: {
    tls_version: 'TLSv1_3',
    tls_cipher_suite: 4865,
    tls_sni_hostname: 'shop.example.com',
  },
  start_time: '2026-01-02T03:04:05.678Z',
  time_to_last_downstream_tx_byte: '0.012345s',
  duration: '0.013s',
  upstream_remote_address: { socket_address: { address: '192.0.2.1', port_value: 8080 } },
  upstream_cluster: 'shop',
  route_name: 'orders',
  response_flags: {},
  access_log_type: 'DownstreamEnd',
} as const;

/** A request whose parts a test replaces. */
export function requestOf(change: {
  readonly common?: Json;
  readonly request?: Record<string, unknown>;
  readonly response?: Record<string, unknown>;
  readonly protocol?: string;
}): Json {
  return {
    common_properties: { ...COMMON, ...(change.common as object) },
    protocol_version: change.protocol ?? 'HTTP2',
    request: {
      request_method: 'GET',
      scheme: 'https',
      authority: 'shop.example.com',
      path: '/v1/orders/4711?page=2&expand=items',
      user_agent: 'curl/8.5.0',
      request_id: '0b4a2c6e-1b2c-4d3e-8f90-a1b2c3d4e5f6',
      request_headers_bytes: '300',
      request_body_bytes: '12',
      ...change.request,
    },
    response: {
      response_code: 200,
      response_headers_bytes: '100',
      response_body_bytes: '2000',
      response_headers: { 'content-type': 'application/json; charset=utf-8' },
      response_code_details: 'via_upstream',
      ...change.response,
    },
  } as Json;
}
