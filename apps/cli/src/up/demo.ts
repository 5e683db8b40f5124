import type { Collection } from '@flotilla/contract';

/** The demo that `flotilla up` deploys: one route to one upstream, protected by one policy. */

export const DEMO = {
  service: 'demo',
  bootstrap: 'demo-bootstrap',
  listener: 'demo-listener',
  routes: 'demo-routes',
  cluster: 'demo-upstream',
  policy: 'demo-policy',
  apiKey: 'demo-key-for-loopback-only',
} as const;

export interface DemoDocument {
  readonly collection: Collection;
  readonly name: string;
  readonly type: string;
  readonly resource: Record<string, unknown>;
}

export function createDemoDocuments({
  proxyPort,
  upstreamPort,
}: {
  proxyPort: number;
  upstreamPort: number;
}): DemoDocument[] {
  return [
    { collection: 'bootstrap', name: DEMO.bootstrap, type: 'envoy.config.bootstrap.v3.Bootstrap', resource: {} },
    {
      collection: 'clusters',
      name: DEMO.cluster,
      type: 'envoy.config.cluster.v3.Cluster',
      resource: {
        name: DEMO.cluster,
        type: 'STATIC',
        connect_timeout: '2s',
        load_assignment: {
          cluster_name: DEMO.cluster,
          endpoints: [
            {
              lb_endpoints: [
                { endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: upstreamPort } } } },
              ],
            },
          ],
        },
      },
    },
    {
      collection: 'routes',
      name: DEMO.routes,
      type: 'envoy.config.route.v3.RouteConfiguration',
      resource: {
        name: DEMO.routes,
        virtual_hosts: [
          {
            name: 'all',
            domains: ['*'],
            routes: [{ name: 'everything', match: { prefix: '/' }, route: { cluster: DEMO.cluster, timeout: '15s' } }],
          },
        ],
      },
    },
    createDemoListener(proxyPort),
  ];
}

function createDemoListener(proxyPort: number): DemoDocument {
  return {
    collection: 'listeners',
    name: DEMO.listener,
    type: 'envoy.config.listener.v3.Listener',
    resource: {
      name: DEMO.listener,
      address: { socket_address: { address: '127.0.0.1', port_value: proxyPort } },
      filter_chains: [
        {
          filters: [
            {
              name: 'envoy.filters.network.http_connection_manager',
              typed_config: {
                '@type':
                  'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
                stat_prefix: 'demo',
                rds: { route_config_name: DEMO.routes },
                http_filters: [
                  {
                    name: 'envoy.filters.http.router',
                    typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
                  },
                ],
              },
            },
          ],
        },
      ],
    },
  };
}

export const DEMO_POLICY = `# The policy of the demo service. Change it and save: it is live within a second.
apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata:
  name: ${DEMO.policy}
spec:
  defaults:
    mode: block
    fail_mode: fail_close
  domains:
    - hosts: ["*"]
      routes:
        - match: { path_prefix: /api/ }
          policy:
            engines:
              api_key:
                keys:
                  - key: ${DEMO.apiKey}
                    subject: demo-user
        - match: { path_prefix: /limited/ }
          policy:
            engines:
              rate_limit:
                requests_per_second: 0.2
                burst: 3
`;

/** Returns one-line commands to paste, and the last status that each of them prints. */
export function createDemoCommands(
  proxyPort: number,
): ReadonlyArray<{ title: string; command: string; status: number }> {
  const base = `http://127.0.0.1:${proxyPort}`;
  const curl = String.raw`curl -s -o /dev/null -w '%{http_code}\n'`;
  return [
    { title: 'allowed', command: `${curl} -H 'X-Api-Key: ${DEMO.apiKey}' ${base}/api/hello`, status: 200 },
    { title: 'blocked for its key', command: `${curl} -H 'X-Api-Key: wrong' ${base}/api/hello`, status: 403 },
    { title: 'limited', command: `for i in 1 2 3 4 5 6; do ${curl} ${base}/limited/; done`, status: 429 },
  ];
}
