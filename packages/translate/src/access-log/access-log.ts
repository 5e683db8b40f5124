import { FILTER_HEADER, REQUEST_HEADERS, RESPONSE_HEADERS, RESPONSE_TRAILERS } from '@flotilla/access-log/headers';
import type { JsonObject, JsonValue } from '@flotilla/envoy-api';
import { MESSAGE } from '../documents/collections.ts';
import { ACCESS_LOG_CLUSTER_NAME } from '../documents/reserved.ts';

/** Messages that get our access log: those that log requests and connections. */
export const LOGGED_MESSAGES: ReadonlySet<string> = new Set([MESSAGE.connectionManager, MESSAGE.tcpProxy]);

const BUFFER_BYTES = 262_144;

/**
 * Adds the access log to a connection manager or TCP proxy, as its last one: documents keep theirs. The listener's name is the name of the log. `isFiltered`:
 * the listener has the request filter, so what Envoy says in its name is believed.
 */
export function addAccessLog(
  typeName: string,
  value: JsonObject,
  { logName, isFiltered }: { readonly logName: string; readonly isFiltered: boolean },
): void {
  const isHttp = typeName === MESSAGE.connectionManager;
  const common_config: JsonObject = {
    log_name: logName,
    transport_api_version: 'V3',
    buffer_flush_interval: '1s',
    buffer_size_bytes: BUFFER_BYTES,
    grpc_service: {
      envoy_grpc: { cluster_name: ACCESS_LOG_CLUSTER_NAME },
      ...(isHttp && isFiltered && { initial_metadata: [{ key: FILTER_HEADER, value: 'on' }] }),
    },
  };
  const log = isHttp ? httpLog(common_config) : tcpLog(common_config);
  const own: JsonValue[] = Array.isArray(value.access_log) ? value.access_log : [];
  value.access_log = [...own, log];
}

function httpLog(common_config: JsonObject): JsonObject {
  return {
    name: 'envoy.access_loggers.http_grpc',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.access_loggers.grpc.v3.HttpGrpcAccessLogConfig',
      common_config,
      additional_request_headers_to_log: [...REQUEST_HEADERS],
      additional_response_headers_to_log: [...RESPONSE_HEADERS],
      additional_response_trailers_to_log: [...RESPONSE_TRAILERS],
    },
  };
}

function tcpLog(common_config: JsonObject): JsonObject {
  return {
    name: 'envoy.access_loggers.tcp_grpc',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.access_loggers.grpc.v3.TcpGrpcAccessLogConfig',
      common_config,
    },
  };
}

/** The agent's socket for access logs. Envoy drops entries if nothing reads them. */
export function accessLogCluster(socket: string): JsonObject {
  return {
    name: ACCESS_LOG_CLUSTER_NAME,
    type: 'STATIC',
    connect_timeout: '1s',
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
    load_assignment: {
      cluster_name: ACCESS_LOG_CLUSTER_NAME,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: { pipe: { path: socket } } } }] }],
    },
  };
}
