import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/envoy-api';
import { ADS_SOURCE } from './documents/ads-sources.ts';
import { XDS_CLUSTER_NAME } from './documents/reserved.ts';
import type { NodeInput } from './types.ts';

/**
 * Composes the complete bootstrap from the document and what the controller owns: the node, the ADS configuration and
 * its cluster. The agent owns the admin address (its own socket), so none is set here, and no admin access log.
 */
export function composeBootstrap(
  document: JsonObject,
  node: NodeInput,
  extraClusters: readonly JsonObject[],
): JsonObject {
  const { node: _node, dynamic_resources: _dynamic, admin, static_resources, ...rest } = document;
  const statics: JsonObject = isJsonObject(static_resources) ? static_resources : {};
  const clusters: JsonValue[] = Array.isArray(statics.clusters) ? statics.clusters : [];
  return {
    node: { id: node.nodeId, cluster: node.serviceName },
    ...rest,
    ...adminWithoutAddress(admin),
    dynamic_resources: {
      lds_config: ADS_SOURCE,
      cds_config: ADS_SOURCE,
      ads_config: {
        api_type: 'DELTA_GRPC',
        transport_api_version: 'V3',
        set_node_on_first_message_only: true,
        grpc_services: [{ envoy_grpc: { cluster_name: XDS_CLUSTER_NAME } }],
      },
    },
    static_resources: { ...statics, clusters: [...clusters, ...extraClusters, xdsCluster(node.xdsSocket)] },
  };
}

/** The agent on its Unix socket. HTTP/2 keepalive detects a hanging peer. */
function xdsCluster(socket: string): JsonObject {
  return {
    name: XDS_CLUSTER_NAME,
    type: 'STATIC',
    connect_timeout: '1s',
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        explicit_http_config: {
          http2_protocol_options: { connection_keepalive: { interval: '30s', timeout: '10s' } },
        },
      },
    },
    load_assignment: {
      cluster_name: XDS_CLUSTER_NAME,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: { pipe: { path: socket } } } }] }],
    },
  };
}

function adminWithoutAddress(admin: JsonValue | undefined): JsonObject {
  if (!isJsonObject(admin)) return {};
  const { address: _address, access_log: _log, access_log_path: _path, ...rest } = admin;
  return Object.keys(rest).length === 0 ? {} : { admin: rest };
}
