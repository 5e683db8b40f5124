import { type EnvoyApi, type JsonObject, loadEnvoyApi } from '@flotilla/envoy-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { findReservedUse } from '../documents/reserved.ts';
import { readGolden, TEST_NODE, type TestDocuments, TestSource } from '../testing.ts';
import { Translator } from '../translator.ts';
import type { NodeInput } from '../types.ts';

const SOCKET = '/run/flotilla/web/als.sock';
const NETWORK = 'type.googleapis.com/envoy.extensions.filters.network';
const OWN_LOG = {
  name: 'envoy.access_loggers.stdout',
  typed_config: { '@type': 'type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog' },
};
const FILTER = { socket: '/run/shield.sock', threads: 1, xffTrustedHops: 0, policies: undefined };

let newest: EnvoyApi;
let oldest: EnvoyApi;
beforeAll(async () => {
  newest = await loadEnvoyApi({ version: '1.40.0' });
  oldest = await loadEnvoyApi({ version: '1.36.4' });
});

const manager = (more: JsonObject = {}): JsonObject => ({
  name: 'hcm',
  typed_config: {
    '@type': `${NETWORK}.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: 'http',
    route_config: { name: 'inline' },
    http_filters: [
      {
        name: 'router',
        typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
      },
    ],
    ...more,
  },
});
const proxy = (more: JsonObject = {}): JsonObject => ({
  name: 'tcp',
  typed_config: { '@type': `${NETWORK}.tcp_proxy.v3.TcpProxy`, stat_prefix: 'tcp', cluster: 'shop', ...more },
});

function listener(name: string, port: number, ...chains: JsonObject[]): JsonObject {
  return {
    name,
    address: { socket_address: { address: '0.0.0.0', port_value: port } },
    filter_chains: chains.map((filter) => ({ filters: [filter] })),
  };
}

const SHOP: TestDocuments = {
  bootstrap: { main: {} },
  listeners: {
    http: listener('http', 8080, manager({ access_log: [OWN_LOG] }), proxy()),
    referring: listener('referring', 8081, { $ref: 'filters/hcm' }),
  },
  filters: {
    hcm: ['envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', managerResource()],
  },
  clusters: { shop: { name: 'shop', type: 'STATIC' } },
};

function managerResource(): JsonObject {
  const { '@type': _, ...resource } = manager().typed_config as JsonObject;
  return resource;
}

/** Everything that a node gets, decoded by the API that translated it. */
function translate(api: EnvoyApi, node: Partial<NodeInput> = {}, documents: TestDocuments = SHOP) {
  const input = { ...TEST_NODE, listeners: ['http', 'referring'], accessLogSocket: SOCKET, ...node };
  const { resources, bootstrap, errors } = new Translator(api).translate(new TestSource(documents), input);
  expect(errors).toEqual([]);
  return {
    resources: resources.map(({ type, name, bytes, dependsOn }) => ({
      name,
      depends_on: dependsOn.map((ref) => ref.name),
      resource: api.decode(type, bytes) as JsonObject,
    })),
    bootstrap,
  };
}

/** Names of the logs in a text, in their order. */
const logNames = (value: unknown) =>
  [...JSON.stringify(value).matchAll(/"log_name":"([^"]+)"/g)].map(([, name]) => name);

describe('a service that records its traffic', () => {
  it.each(['1.36.4', '1.40.0'])(
    'logs every connection manager and TCP proxy to the agent with Envoy %s',
    async (version) => {
      const shown = translate(version === '1.36.4' ? oldest : newest);
      expect(shown).toEqual(await readGolden('access-log', shown));
      expect(logNames(shown.resources)).toEqual(['http', 'http', 'referring']);
    },
  );

  it('has the cluster of the log before its listeners, once', () => {
    const { resources } = translate(newest);
    expect(resources.filter(({ name }) => name === 'flotilla_access_log')).toHaveLength(1);
    for (const { depends_on, name } of resources.filter((one) => ['http', 'referring'].includes(one.name)))
      expect(depends_on, name).toContain('flotilla_access_log');
  });

  it('keeps the logs of its documents', () => {
    const text = JSON.stringify(translate(newest).resources);
    expect(text.match(/access_loggers\.stdout/g)).toHaveLength(1);
    expect(text.match(/access_loggers\.http_grpc/g)).toHaveLength(2);
  });

  it('has the log and its cluster in a bootstrap with static listeners', () => {
    const documents = {
      ...SHOP,
      bootstrap: { main: { static_resources: { listeners: [listener('fixed', 9090, manager())] } } },
    };
    const { bootstrap, resources } = translate(newest, { listeners: [] }, documents);
    expect(logNames(bootstrap)).toEqual(['fixed']);
    expect(JSON.stringify(bootstrap)).toContain(SOCKET);
    expect(resources).toEqual([]);
  });

  it('says in the stream whether the request filter is asked', () => {
    const { resources } = translate(newest, { shield: FILTER });
    const text = JSON.stringify(resources);
    // TCP proxies have no request filter.
    expect(text.match(/flotilla-filter/g)).toHaveLength(2);
    expect(JSON.stringify(translate(newest).resources)).not.toContain('flotilla-filter');
  });

  it('gets the same bytes however often it is translated, and others when it is turned off', () => {
    const translator = new Translator(newest);
    const source = new TestSource(SHOP);
    const on = { ...TEST_NODE, listeners: ['http'], accessLogSocket: SOCKET };
    const listenerOf = (node: NodeInput) =>
      translator.translate(source, node).resources.find(({ name }) => name === 'http')?.bytes;
    const first = listenerOf(on);
    expect(listenerOf(on)).toBe(first);
    const off = listenerOf({ ...on, accessLogSocket: undefined });
    expect(Buffer.from(off ?? []).toString('latin1')).not.toContain('flotilla_access_log');
    expect(listenerOf(on)).toEqual(first);
  });
});

describe('a document', () => {
  it('may not define the cluster of the access log', () => {
    const found = findReservedUse(newest, 'envoy.config.cluster.v3.Cluster', { name: 'flotilla_access_log' });
    expect(found).toMatchObject([{ path: 'name', rule: 'reserved' }]);
  });
});
