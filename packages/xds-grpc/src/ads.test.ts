import { TYPE_URL } from '@flotilla/proto';
import { createResource, createSnapshot, RESOURCE_TYPE, type Snapshot, SnapshotCache } from '@flotilla/xds';
import { Client, credentials, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { afterEach, expect, it } from 'vitest';
import { AdsClient, type AdsClientState } from './ads-client.ts';
import { type AdsServiceOptions, createAdsService } from './ads-service.ts';
import { planSnapshot } from './node-plan.ts';

const NODE = 'shop::p1::c1';
const closers: Array<() => void> = [];
afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

async function startServer(options: AdsServiceOptions, address = '127.0.0.1:0') {
  const server = new Server();
  const service = createAdsService(options);
  server.addService(service.definition, service.handlers);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const stop = () => {
    service.close();
    server.forceShutdown();
  };
  closers.push(stop);
  return { address: `127.0.0.1:${port}`, stop, service };
}

function startClient(address: string, nodeId = NODE, initial?: Snapshot) {
  const client = new Client(address, credentials.createInsecure());
  const states: AdsClientState[] = [];
  const snapshots: Snapshot[] = [];
  const wakers = new Set<() => void>();
  const wake = () => {
    for (const waker of wakers) waker();
  };
  const ads = new AdsClient({
    client,
    nodeId,
    backoff: { initialMs: 5, maxMs: 20 },
    onSnapshot: (snapshot) => {
      snapshots.push(snapshot);
      wake();
    },
    onState: (state) => {
      states.push(state);
      wake();
    },
    ...(initial && { initial }),
  });
  ads.start();
  closers.push(() => {
    void ads.close();
    client.close();
  });
  const until = (met: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!met()) return;
        wakers.delete(look);
        resolve();
      };
      wakers.add(look);
      look();
    });
  return { ads, states, snapshots, until };
}

function snapshotOf(contents: Record<string, string>): Snapshot {
  const parts = Object.entries(contents).map(([name, content]) => ({
    resource: createResource({ typeUrl: RESOURCE_TYPE.cluster, name }, Buffer.from(content)),
    dependsOn: [{ typeUrl: RESOURCE_TYPE.endpoint, name }],
  }));
  return createSnapshot(parts);
}

it('the type URLs equal those of the wire definitions', () => {
  expect(RESOURCE_TYPE).toEqual(TYPE_URL);
});

it('the agent receives a complete snapshot with its dependencies, then its changes', async () => {
  const cache = new SnapshotCache();
  const first = snapshotOf({ a: '1', b: '2' });
  cache.set(NODE, planSnapshot(NODE, first));
  const { address } = await startServer({
    openStream: ({ nodeId }) => ({ accept: true, source: cache.source(nodeId) }),
  });
  const { snapshots, until } = startClient(address);
  await until(() => snapshots.length === 1);
  expect(snapshots[0]?.version).toBe(first.version);
  expect(snapshots[0]?.dependencies).toEqual(first.dependencies);
  const second = snapshotOf({ a: '1', c: '3' });
  cache.set(NODE, planSnapshot(NODE, second));
  await until(() => snapshots.length === 2);
  expect([...(snapshots[1]?.resources.values() ?? [])].map(({ name }) => name)).toEqual(['a', 'c']);
});

it('a snapshot larger than a gRPC message is split into several responses', async () => {
  const cache = new SnapshotCache();
  const contents = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`c${i}`, `${i}`.repeat(1_000_000)]));
  cache.set(NODE, planSnapshot(NODE, snapshotOf(contents)));
  const { address } = await startServer({
    openStream: ({ nodeId }) => ({ accept: true, source: cache.source(nodeId) }),
  });
  const { snapshots, until } = startClient(address);
  await until(() => snapshots.length === 1);
  expect(snapshots[0]?.resources.size).toBe(12);
});

it('the client reconnects after the controller was away, and receives nothing that it has', async () => {
  const cache = new SnapshotCache();
  cache.set(NODE, planSnapshot(NODE, snapshotOf({ a: '1' })));
  let resources = 0;
  const openStream: AdsServiceOptions['openStream'] = ({ nodeId }) => ({
    accept: true,
    source: cache.source(nodeId),
    observer: {
      sent: (batch) => {
        resources += batch.resources.length;
      },
    },
  });
  const first = await startServer({ openStream });
  const { snapshots, states, until } = startClient(first.address);
  await until(() => snapshots.length === 1);
  first.stop();
  await until(() => states.some(({ kind }) => kind === 'disconnected'));
  resources = 0;
  cache.set(NODE, planSnapshot(NODE, snapshotOf({ a: '1', b: '2' })));
  await startServer({ openStream }, first.address);
  await until(() => snapshots.length === 2);
  expect(resources).toBe(2);
});

it('the service refuses a stream with the code and message of the hook, and the client keeps trying', async () => {
  const { address } = await startServer({
    openStream: ({ nodeId, protocol }) => ({
      accept: false,
      code: status.PERMISSION_DENIED,
      message: `${protocol} of ${nodeId} is not yours`,
    }),
  });
  const { states, until } = startClient(address);
  await until(() => states.filter(({ kind }) => kind === 'disconnected').length === 2);
  expect(states[1]).toMatchObject({ code: status.PERMISSION_DENIED, reason: `delta of ${NODE} is not yours` });
});

it('a stream whose hook fails is ended, and each opened stream is closed once', async () => {
  let tries = 0;
  let closes = 0;
  const cache = new SnapshotCache();
  cache.set(NODE, planSnapshot(NODE, snapshotOf({ a: '1' })));
  const { address, service } = await startServer({
    openStream: async () => {
      tries += 1;
      if (tries === 1) throw new Error('database is away');
      return {
        accept: true,
        source: cache.source(NODE),
        onClose: () => {
          closes += 1;
        },
      };
    },
  });
  const { ads, snapshots, states, until } = startClient(address);
  await until(() => snapshots.length === 1);
  expect(states.find(({ kind }) => kind === 'disconnected')).toMatchObject({ code: status.UNAVAILABLE });
  expect(service.count()).toBe(1);
  service.close();
  await until(() => states.filter(({ kind }) => kind === 'connected').length === 2);
  await ads.close();
  expect(closes).toBe(1);
});
