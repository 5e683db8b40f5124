import type { JsonObject } from '@flotilla/envoy-api';
import { ADS, any, ask, type Starter, socketAddress } from './starter.ts';

const HCM = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const TLS = 'envoy.extensions.transport_sockets.tls.v3';
const PORT = 'address.socket_address.port_value';
const ROUTES = 'filter_chains[0].filters[0].typed_config.rds.route_config_name';
const ROUTER: JsonObject = {
  name: 'envoy.filters.http.router',
  typed_config: any('envoy.extensions.filters.http.router.v3.Router'),
};
const LOG: JsonObject = {
  name: 'envoy.access_loggers.stdout',
  typed_config: any('envoy.extensions.access_loggers.stream.v3.StdoutAccessLog'),
};

function manager(prefix: string): JsonObject {
  return {
    name: 'envoy.filters.network.http_connection_manager',
    typed_config: any(HCM, {
      stat_prefix: prefix,
      codec_type: 'AUTO',
      use_remote_address: true,
      normalize_path: true,
      rds: { route_config_name: 'main', config_source: ADS },
      access_log: [LOG],
      http_filters: [ROUTER],
    }),
  };
}

export const LISTENER_STARTERS: readonly Starter[] = [
  {
    id: 'listener-http',
    title: 'HTTP',
    description: 'Takes HTTP on a port of each client, with a stored route configuration.',
    collection: 'listeners',
    name: 'http',
    namedAt: ['filter_chains[0].filters[0].typed_config.stat_prefix'],
    questions: [ask('port', 'Port', PORT), ask('routes', 'Routes', ROUTES)],
    resource: {
      name: 'http',
      address: socketAddress('@client', 8080),
      filter_chains: [{ filters: [manager('http')] }],
    },
  },
  {
    id: 'listener-https',
    title: 'HTTPS',
    description: 'Takes HTTPS on a port of each client, with a stored certificate and a stored route configuration.',
    collection: 'listeners',
    name: 'https',
    namedAt: ['filter_chains[0].filters[0].typed_config.stat_prefix'],
    questions: [
      ask('port', 'Port', PORT),
      ask(
        'certificate',
        'Certificate',
        'filter_chains[0].transport_socket.typed_config.common_tls_context.tls_certificate_sds_secret_configs[0].name',
      ),
      ask('routes', 'Routes', ROUTES),
    ],
    resource: {
      name: 'https',
      address: socketAddress('@client', 8443),
      filter_chains: [
        {
          transport_socket: {
            name: 'envoy.transport_sockets.tls',
            typed_config: any(`${TLS}.DownstreamTlsContext`, {
              common_tls_context: {
                alpn_protocols: ['h2', 'http/1.1'],
                tls_certificate_sds_secret_configs: [{ name: 'site-certificate', sds_config: ADS }],
              },
            }),
          },
          filters: [manager('https')],
        },
      ],
    },
  },
  {
    id: 'listener-tcp',
    title: 'TCP',
    description: 'Hands every connection on to one cluster, whatever is spoken on it.',
    collection: 'listeners',
    name: 'tcp',
    namedAt: ['filter_chains[0].filters[0].typed_config.stat_prefix'],
    questions: [
      ask('port', 'Port', PORT),
      ask('cluster', 'Cluster', 'filter_chains[0].filters[0].typed_config.cluster'),
    ],
    resource: {
      name: 'tcp',
      address: socketAddress('@client', 9000),
      filter_chains: [
        {
          filters: [
            {
              name: 'envoy.filters.network.tcp_proxy',
              typed_config: any('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', {
                stat_prefix: 'tcp',
                cluster: 'backend',
              }),
            },
          ],
        },
      ],
    },
  },
  {
    id: 'routes-one-host',
    title: 'Everything to one cluster',
    description: 'One virtual host that sends all requests to one cluster.',
    collection: 'routes',
    name: 'main',
    questions: [
      ask('domains', 'Domains', 'virtual_hosts[0].domains'),
      ask('cluster', 'Cluster', 'virtual_hosts[0].routes[0].route.cluster'),
    ],
    resource: {
      name: 'main',
      virtual_hosts: [
        {
          name: 'all',
          domains: ['*'],
          routes: [
            {
              match: { prefix: '/' },
              route: {
                cluster: 'backend',
                timeout: '15s',
                retry_policy: { retry_on: 'connect-failure,reset', num_retries: 2 },
              },
            },
          ],
        },
      ],
    },
  },
  {
    id: 'routes-paths',
    title: 'By path',
    description: 'An API with its prefix taken off, a health page answered here, and the rest to another cluster.',
    collection: 'routes',
    name: 'main',
    questions: [
      ask('domains', 'Domains', 'virtual_hosts[0].domains'),
      ask('http_path', 'Path of the API', 'virtual_hosts[0].routes[1].match.path_separated_prefix'),
      ask('cluster', 'Cluster of the API', 'virtual_hosts[0].routes[1].route.cluster'),
      ask('cluster', 'Cluster of the rest', 'virtual_hosts[0].routes[2].route.cluster'),
    ],
    resource: {
      name: 'main',
      virtual_hosts: [
        {
          name: 'site',
          domains: ['www.example.com'],
          routes: [
            { match: { path: '/healthz' }, direct_response: { status: 200, body: { inline_string: 'ok\n' } } },
            { match: { path_separated_prefix: '/api' }, route: { cluster: 'api', prefix_rewrite: '/' } },
            { match: { prefix: '/' }, route: { cluster: 'backend' } },
          ],
        },
      ],
    },
  },
  {
    id: 'routes-https',
    title: 'Redirect to HTTPS',
    description: 'Sends every client to the same address with HTTPS.',
    collection: 'routes',
    name: 'to-https',
    questions: [ask('domains', 'Domains', 'virtual_hosts[0].domains')],
    resource: {
      name: 'to-https',
      virtual_hosts: [
        { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, redirect: { https_redirect: true } }] },
      ],
    },
  },
  {
    id: 'virtual-host',
    title: 'One host',
    description: 'A host of a route configuration as a document of its own.',
    collection: 'virtual_hosts',
    name: 'main/www.example.com',
    questions: [ask('domains', 'Domains', 'domains'), ask('cluster', 'Cluster', 'routes[0].route.cluster')],
    resource: {
      name: 'www.example.com',
      domains: ['www.example.com'],
      routes: [{ match: { prefix: '/' }, route: { cluster: 'backend' } }],
    },
  },
  {
    id: 'virtual-host-canary',
    title: 'One host with a canary',
    description: 'Sends one request in ten to a second cluster.',
    collection: 'virtual_hosts',
    name: 'main/shop.example.com',
    questions: [
      ask('domains', 'Domains', 'domains'),
      ask('cluster', 'Cluster', 'routes[0].route.weighted_clusters.clusters[0].name'),
      ask('cluster', 'Cluster of the canary', 'routes[0].route.weighted_clusters.clusters[1].name'),
    ],
    resource: {
      name: 'shop.example.com',
      domains: ['shop.example.com'],
      routes: [
        {
          match: { prefix: '/' },
          route: {
            weighted_clusters: {
              clusters: [
                { name: 'backend', weight: 90 },
                { name: 'backend-next', weight: 10 },
              ],
            },
          },
        },
      ],
    },
  },
];
