import { type JsonValue, loadEnvoyApi } from '@flotilla/envoy-api';
import {
  createResource,
  createSnapshot,
  RESOURCE_TYPE,
  type SentBatch,
  SnapshotCache,
  type SnapshotPart,
} from '@flotilla/xds';
import { Client, credentials, Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createAdsService } from './ads-service.ts';

const NODE = 'grpc::p1::c1';
const HOST = 'shop.example.com';
const SAY = '/test.Echo/Say';
const api = await loadEnvoyApi({ version: '1.31.0' });
const closers: Array<() => void> = [];

afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

async function listen(server: Server): Promise<number> {
  closers.push(() => server.forceShutdown());
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, port: number) => (error ? reject(error) : resolve(port));
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), done);
  });
}

/** A gRPC server that answers every call with its label. */
function startBackend(label: string): Promise<number> {
  const same = (bytes: Buffer) => bytes;
  const codec = {
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
  const server = new Server();
  server.addService(
    { Say: { path: SAY, requestStream: false, responseStream: false, ...codec } },
    { Say: (_: unknown, answer: (error: null, value: Buffer) => void) => answer(null, Buffer.from(label)) },
  );
  return listen(server);
}

function part(typeUrl: string, name: string, json: JsonValue): SnapshotPart {
  const encoded = api.encode(typeUrl.slice(typeUrl.indexOf('/') + 1), json);
  if (!encoded.ok) throw new Error(JSON.stringify(encoded.error));
  return { resource: createResource({ typeUrl, name }, encoded.value) };
}

const ADS = { ads: {}, resource_api_version: 'V3' };
const listener = part(RESOURCE_TYPE.listener, HOST, {
  name: HOST,
  api_listener: {
    api_listener: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
      rds: { route_config_name: 'main', config_source: ADS },
      http_filters: [
        {
          name: 'router',
          typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
        },
      ],
    },
  },
});
const route = (cluster: string) =>
  part(RESOURCE_TYPE.route, 'main', {
    name: 'main',
    virtual_hosts: [{ name: 'all', domains: [HOST], routes: [{ match: { prefix: '' }, route: { cluster } }] }],
  });
const cluster = (name: string, extra: Record<string, JsonValue> = {}) =>
  part(RESOURCE_TYPE.cluster, name, { name, type: 'EDS', eds_cluster_config: { eds_config: ADS }, ...extra });
const endpoints = (name: string, port: number) =>
  part(RESOURCE_TYPE.endpoint, name, {
    cluster_name: name,
    endpoints: [
      {
        locality: { region: 'r', zone: 'z' },
        load_balancing_weight: 1,
        lb_endpoints: [{ endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: port } } } }],
      },
    ],
  });

async function openWorld() {
  const cache = new SnapshotCache();
  const refused: Array<{ batch: SentBatch; reason: string }> = [];
  const service = createAdsService({
    openStream: ({ nodeId, protocol }) => {
      expect([nodeId, protocol]).toEqual([NODE, 'sotw']);
      return {
        accept: true,
        source: cache.source(nodeId),
        observer: { refused: (batch, reason) => refused.push({ batch, reason }) },
      };
    },
  });
  const server = new Server();
  server.addService(service.definition, service.handlers);
  const port = await listen(server);
  const bootstrap = {
    xds_servers: [
      { server_uri: `127.0.0.1:${port}`, channel_creds: [{ type: 'insecure' }], server_features: ['xds_v3'] },
    ],
    node: { id: NODE, locality: {} },
  };
  vi.stubEnv('GRPC_XDS_BOOTSTRAP_CONFIG', JSON.stringify(bootstrap));
  const { register } = await import('@grpc/grpc-js-xds');
  register();
  const set = (...parts: SnapshotPart[]) => cache.set(NODE, createSnapshot(parts));
  return { set, refused };
}

beforeEach(() => vi.unstubAllEnvs());

function startCaller() {
  const client = new Client(`xds:///${HOST}`, credentials.createInsecure());
  closers.push(() => client.close());
  const say = () =>
    new Promise<string>((resolve, reject) => {
      const options = { deadline: Date.now() + 10_000 };
      const same = (bytes: Buffer) => bytes;
      client.makeUnaryRequest(SAY, same, same, Buffer.alloc(0), new Metadata(), options, (error, value) =>
        error ? reject(error) : resolve(String(value)),
      );
    });
  const untilSaid = (label: string) => expect.poll(say, { interval: 50 }).toBe(label);
  return { say, untilSaid };
}

it('a gRPC client follows changes and keeps working after it refused one', async () => {
  const { set, refused } = await openWorld();
  const [one, two] = [await startBackend('one'), await startBackend('two')];
  set(listener, route('a'), cluster('a'), endpoints('a', one));
  const { say, untilSaid } = startCaller();
  expect(await say()).toBe('one');

  set(listener, route('a'), cluster('a'), endpoints('a', two));
  await untilSaid('two');

  set(listener, route('b'), cluster('a'), cluster('b'), endpoints('a', two), endpoints('b', one));
  await untilSaid('one');

  set(listener, route('b'), cluster('b', { lb_policy: 'CLUSTER_PROVIDED' }), endpoints('b', one));
  await expect.poll(() => refused.length).toBe(1);
  expect(refused[0]?.batch.resources.map(({ name }) => name)).toEqual(['b']);
  expect(await say()).toBe('one');

  set(listener, route('b'), cluster('b', { lb_policy: 'CLUSTER_PROVIDED' }), endpoints('b', two));
  await untilSaid('two');
  set(listener, route('b'), cluster('b', { connect_timeout: '3s' }), endpoints('b', one));
  await untilSaid('one');
  expect(refused.length).toBe(1);
});
