import { shieldClusterConfig, shieldConnectionManagerFields, shieldFilterConfig } from '@flotilla/policy';

const TYPE = 'type.googleapis.com/envoy.extensions';

export interface BenchListener {
  readonly port: number;
  /** The filter's socket; without one the listener has no filter. */
  readonly filterSocket?: string;
}

/**
 * An Envoy that answers by itself (`direct_response`), so that nothing but Envoy and the filter is measured. One listener
 * without a filter, one for each filter; as `flotilla shield envoy-config` would set them up.
 */
export function describeEnvoy(listeners: Readonly<Record<string, BenchListener>>): object {
  const clusters = Object.entries(listeners).flatMap(([name, { filterSocket }]) =>
    filterSocket === undefined
      ? []
      : [shieldClusterConfig([{ kind: 'unix', path: filterSocket }], { clusterName: name })],
  );
  return {
    static_resources: {
      listeners: Object.entries(listeners).map(([name, listener]) => describeListener(name, listener)),
      clusters,
    },
  };
}

function describeListener(name: string, { port, filterSocket }: BenchListener): object {
  const router = { name: 'router', typed_config: { '@type': `${TYPE}.filters.http.router.v3.Router` } };
  const filters = filterSocket === undefined ? [] : [shieldFilterConfig({ clusterName: name })];
  const answer = { status: 200, body: { inline_string: 'served\n' } };
  const manager = {
    ...shieldConnectionManagerFields(),
    '@type': `${TYPE}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: name,
    route_config: {
      virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, direct_response: answer }] }],
    },
    http_filters: [...filters, router],
  };
  return {
    name,
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
    filter_chains: [{ filters: [{ name: 'http', typed_config: manager }] }],
  };
}
