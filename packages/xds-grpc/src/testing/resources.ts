import type { EnvoyApi, JsonValue } from '@flotilla/envoy-api';
import { createResource, RESOURCE_TYPE, type ResourceRef, type SnapshotPart } from '@flotilla/xds';

/** Backends share a process with their clients: on a busy machine hundreds of handshakes take many seconds. */
const CONNECT_TIMEOUT = '60s';
const V3 = { ads: {}, resource_api_version: 'V3' };
const ROUTER = {
  name: 'envoy.filters.http.router',
  typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
};

const ON_DEMAND = {
  name: 'envoy.filters.http.on_demand',
  typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.on_demand.v3.OnDemand' },
};

/** Small but real Envoy resources with their dependencies, for one Envoy version. */
export function createParts(api: EnvoyApi) {
  const part = (typeUrl: string, name: string, json: JsonValue, dependsOn: ResourceRef[] = []): SnapshotPart => {
    const encoded = api.encode(typeUrl.slice(typeUrl.indexOf('/') + 1), json);
    if (!encoded.ok) throw new Error(`${name}: ${JSON.stringify(encoded.error)}`);
    return { resource: createResource({ typeUrl, name }, encoded.value), dependsOn };
  };

  const endpointsOf = (name: string, ports: number[]) => ({
    cluster_name: name,
    endpoints: [
      {
        lb_endpoints: ports.map((port) => ({
          endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: port } } },
        })),
      },
    ],
  });

  return {
    part,
    staticCluster: (name: string, port: number, extra: Record<string, JsonValue> = {}) =>
      part(RESOURCE_TYPE.cluster, name, {
        name,
        type: 'STATIC',
        connect_timeout: CONNECT_TIMEOUT,
        load_assignment: endpointsOf(name, [port]),
        ...extra,
      }),
    edsCluster: (name: string, options: { secret?: string; connectTimeout?: string; endpoints?: boolean } = {}) => {
      const transport = options.secret && {
        transport_socket: {
          name: 'envoy.transport_sockets.tls',
          typed_config: {
            '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
            sni: 'upstream.example.com',
            common_tls_context: { validation_context_sds_secret_config: { name: options.secret, sds_config: V3 } },
          },
        },
      };
      const json = {
        name,
        type: 'EDS',
        connect_timeout: options.connectTimeout ?? CONNECT_TIMEOUT,
        eds_cluster_config: { eds_config: V3 },
        ...transport,
      };
      const needs: ResourceRef[] = [{ typeUrl: RESOURCE_TYPE.endpoint, name }];
      if (options.secret) needs.push({ typeUrl: RESOURCE_TYPE.secret, name: options.secret });
      return part(RESOURCE_TYPE.cluster, name, json, needs);
    },
    endpoints: (name: string, ...ports: number[]) => part(RESOURCE_TYPE.endpoint, name, endpointsOf(name, ports)),
    trustedCa: (name: string, pem: string) =>
      part(RESOURCE_TYPE.secret, name, { name, validation_context: { trusted_ca: { inline_string: pem } } }),
    route: (name: string, cluster: string, extra: Record<string, JsonValue> = {}, needs: string[] = [cluster]) =>
      part(
        RESOURCE_TYPE.route,
        name,
        {
          name,
          virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster } }] }],
          ...extra,
        },
        needs.map((need) => ({ typeUrl: RESOURCE_TYPE.cluster, name: need })),
      ),
    /** A route configuration whose hosts are loaded one by one, when a request needs them. */
    openRoute: (name: string) => part(RESOURCE_TYPE.route, name, { name, vhds: { config_source: V3 } }),
    virtualHost: (route: string, host: string, cluster: string, extra: Record<string, JsonValue> = {}) =>
      part(
        RESOURCE_TYPE.virtualHost,
        `${route}/${host}`,
        {
          name: `${route}/${host}`,
          domains: [host],
          routes: [{ match: { prefix: '/' }, route: { cluster } }],
          ...extra,
        },
        [{ typeUrl: RESOURCE_TYPE.cluster, name: cluster }],
      ),
    listener: (name: string, port: number, route: string, options: { filter?: string; onDemand?: boolean } = {}) => {
      const filters = options.filter
        ? [
            {
              name: options.filter,
              config_discovery: {
                config_source: { ...V3, initial_fetch_timeout: '0s' },
                type_urls: ['type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation'],
              },
            },
          ]
        : [];
      const manager = {
        '@type':
          'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
        stat_prefix: name,
        rds: { route_config_name: route, config_source: V3 },
        http_filters: [...filters, ...(options.onDemand ? [ON_DEMAND] : []), ROUTER],
      };
      const needs: ResourceRef[] = [{ typeUrl: RESOURCE_TYPE.route, name: route }];
      if (options.filter) needs.push({ typeUrl: RESOURCE_TYPE.extension, name: options.filter });
      const json = {
        name,
        address: { socket_address: { address: '127.0.0.1', port_value: port } },
        filter_chains: [{ filters: [{ name: 'http', typed_config: manager }] }],
      };
      return part(RESOURCE_TYPE.listener, name, json, needs);
    },
    /** An HTTP filter that sets one response header. */
    headerFilter: (name: string, value: string) =>
      part(RESOURCE_TYPE.extension, name, {
        name,
        typed_config: {
          '@type': 'type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation',
          mutations: {
            response_mutations: [
              { append: { header: { key: 'x-filter', value }, append_action: 'OVERWRITE_IF_EXISTS_OR_ADD' } },
            ],
          },
        },
      }),
  };
}

export type Parts = ReturnType<typeof createParts>;
