import { type EnvoyApi, type JsonObject, loadEnvoyApi } from '@flotilla/envoy-api';
import {
  type DocumentCollection,
  type DocumentSource,
  type NodeInput,
  type SourceDocument,
  Translator,
} from '@flotilla/translate';
import { median } from './table.ts';

/**
 * Measures the check of host access when resources are built: a route configuration and its listener, built from
 * documents of an owner (not checked) and from the same documents of an editor, and taken from the build cache by a
 * second node. `node bench/src/host-rights.ts [routes] [rounds]`
 */
const ROUTES = Number(process.argv[2] ?? 2_000);
const ROUNDS = Number(process.argv[3] ?? 15);

const any = (type: string, content: JsonObject): JsonObject => ({
  '@type': `type.googleapis.com/envoy.extensions.filters.${type}`,
  ...content,
});
const manager = any('network.http_connection_manager.v3.HttpConnectionManager', {
  stat_prefix: 'http',
  rds: { route_config_name: 'main' },
  http_filters: [{ name: 'router', typed_config: any('http.router.v3.Router', {}) }],
});

function documentsOf(mayReachHost: boolean, revision: number): SourceDocument[] {
  const at = (collection: DocumentCollection, name: string, type: string, resource: JsonObject): SourceDocument => ({
    collection,
    name,
    type: `envoy.config.${type}`,
    revision,
    resource,
    chars: JSON.stringify(resource).length,
    mayReachHost,
  });
  const routes = Array.from({ length: ROUTES }, (_, index) => ({
    match: { prefix: `/part-${index}/`, headers: [{ name: 'x-tenant', string_match: { exact: `t${index}` } }] },
    route: { cluster: 'api', timeout: '3s', retry_policy: { retry_on: '5xx', num_retries: 2 } },
    request_headers_to_add: [{ header: { key: 'x-part', value: `${index}` } }],
  }));
  return [
    at('bootstrap', 'main', 'bootstrap.v3.Bootstrap', {}),
    at('listeners', 'http', 'listener.v3.Listener', {
      name: 'http',
      address: { socket_address: { address: '192.0.2.1', port_value: 8080 } },
      filter_chains: [{ filters: [{ name: 'hcm', typed_config: manager }] }],
    }),
    at('routes', 'main', 'route.v3.RouteConfiguration', {
      name: 'main',
      virtual_hosts: [{ name: 'all', domains: ['*'], routes }],
    }),
    at('clusters', 'api', 'cluster.v3.Cluster', { name: 'api', type: 'STATIC' }),
  ];
}

function sourceOf(documents: readonly SourceDocument[]): DocumentSource {
  const byKey = new Map(documents.map((document) => [`${document.collection}/${document.name}`, document]));
  return { get: (collection, name) => byKey.get(`${collection}/${name}`), virtualHostsOf: () => [] };
}

const nodeOf = (id: string): NodeInput => ({
  nodeId: id,
  serviceName: 'web',
  bootstrap: 'main',
  listeners: ['http'],
  addresses: ['192.0.2.1'],
  xdsSocket: '/run/xds.sock',
  filesDir: '/var/lib/files',
  shield: undefined,
});

function measure(api: EnvoyApi, mayReachHost: boolean): { build: number[]; again: number[] } {
  const translator = new Translator(api);
  const build: number[] = [];
  const again: number[] = [];
  for (let round = 0; round < ROUNDS + 3; round += 1) {
    const source = sourceOf(documentsOf(mayReachHost, round));
    const begun = cpuMs();
    const first = translator.translate(source, nodeOf('a'));
    const built = cpuMs();
    translator.translate(source, nodeOf('b'));
    const taken = cpuMs();
    if (first.errors.length > 0) throw new Error(JSON.stringify(first.errors[0]));
    if (round < 3) continue;
    build.push(built - begun);
    again.push(taken - built);
  }
  return { build, again };
}

/** CPU time, which excludes other programs. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const api = await loadEnvoyApi({ version: '1.39.3' });
const row = ({ build, again }: ReturnType<typeof measure>) => ({
  'first node (ms)': Number(median(build).toFixed(1)),
  'next node (ms)': Number(median(again).toFixed(3)),
});
measure(api, false);
const owner = measure(api, true);
const editor = measure(api, false);
console.log(`${ROUTES} routes, ${ROUNDS} rounds, median CPU time`);
console.table({ 'written by an owner': row(owner), 'written by an editor': row(editor) });
