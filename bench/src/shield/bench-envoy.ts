import { shieldClusterConfig, shieldConnectionManagerFields, shieldFilterConfig } from '@flotilla/policy';

const TYPE = 'type.googleapis.com/envoy.extensions';

export interface BenchListener {
  readonly port: number;
  /** The filter's socket; without it the listener has no filter. */
  readonly filterSocket?: string;
}

/** The responder behind the routes: Envoy itself, or a server at this port. */
export type BenchUpstream = 'none' | number;

/**
 * One listener without a filter, and one per filter, configured like `flotilla shield envoy-config`. Without an
 * upstream Envoy responds itself (`direct_response`), so that only Envoy and the filter are measured.
 */
export function describeEnvoy(listeners: Readonly<Record<string, BenchListener>>, upstream: BenchUpstream): object {
  const filters = Object.entries(listeners).flatMap(([name, { filterSocket }]) =>
    filterSocket === undefined
      ? []
      : [shieldClusterConfig([{ kind: 'unix', path: filterSocket }], { clusterName: name })],
  );
  return {
    static_resources: {
      listeners: Object.entries(listeners).map(([name, listener]) => describeListener(name, listener, upstream)),
      clusters: upstream === 'none' ? filters : [...filters, describeUpstream(upstream)],
    },
  };
}

function describeUpstream(port: number): object {
  const endpoint = { address: { socket_address: { address: '127.0.0.1', port_value: port } } };
  return {
    name: 'upstream',
    connect_timeout: '5s',
    load_assignment: { cluster_name: 'upstream', endpoints: [{ lb_endpoints: [{ endpoint }] }] },
  };
}

function describeListener(name: string, { port, filterSocket }: BenchListener, upstream: BenchUpstream): object {
  const router = { name: 'router', typed_config: { '@type': `${TYPE}.filters.http.router.v3.Router` } };
  const filters = filterSocket === undefined ? [] : [shieldFilterConfig({ clusterName: name })];
  const action =
    upstream === 'none'
      ? { direct_response: { status: 200, body: { inline_string: 'served\n' } } }
      : { route: { cluster: 'upstream' } };
  const manager = {
    ...shieldConnectionManagerFields(),
    '@type': `${TYPE}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: name,
    route_config: {
      virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, ...action }] }],
    },
    http_filters: [...filters, router],
  };
  return {
    name,
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
    filter_chains: [{ filters: [{ name: 'http', typed_config: manager }] }],
  };
}
