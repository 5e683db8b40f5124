import { createResource, createSnapshot, RESOURCE_TYPE, SnapshotCache } from '@flotilla/xds';
import {
  Client,
  type ClientDuplexStream,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  status,
} from '@grpc/grpc-js';
import { afterEach, expect, it } from 'vitest';
import { type AdsServiceOptions, createAdsService } from './ads-service.ts';
import { createDeltaRequest, DELTA_PATH, decodeDeltaResponse, encodeDeltaRequest } from './ads-wire.ts';

const NODE = 'shop::p1::c1';
const { cluster, endpoint } = RESOURCE_TYPE;
const closers: Array<() => void> = [];
afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

type Request = ReturnType<typeof createDeltaRequest>;
type Stream = ClientDuplexStream<Request, ReturnType<typeof decodeDeltaResponse>>;

async function openWorld(options: Partial<AdsServiceOptions> = {}) {
  const cache = new SnapshotCache();
  const service = createAdsService({
    openStream: () => ({ accept: true, source: cache.source(NODE) }),
    ...options,
  });
  const server = new Server();
  server.addService(service.definition, service.handlers);
  const port = await new Promise<number>((resolve, reject) => {
    const done = (error: Error | null, bound: number) => (error ? reject(error) : resolve(bound));
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), done);
  });
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  closers.push(() => {
    client.close();
    server.forceShutdown();
  });
  const open = (encode = encodeDeltaRequest) => {
    const stream: Stream = client.makeBidiStreamRequest(DELTA_PATH, encode, decodeDeltaResponse, new Metadata());
    const ended = new Promise<number>((resolve) => {
      stream.on('error', () => {});
      stream.on('status', ({ code }) => resolve(code));
    });
    return { stream, ended };
  };
  const set = (count: number, edit: string) => {
    const parts = Array.from({ length: count }, (_, index) => ({
      resource: createResource({ typeUrl: cluster, name: `c${index}` }, Buffer.from(edit.padEnd(10_000, `${index}`))),
    }));
    cache.set(NODE, createSnapshot(parts));
  };
  return { service, open, set };
}

const untilNone = (service: { count(): number }) => expect.poll(() => service.count()).toBe(0);

it('a stream that requests more types than exist is ended', async () => {
  const { open, service } = await openWorld();
  const { stream, ended } = open();
  for (let index = 0; index < 100; index += 1)
    stream.write(createDeltaRequest({ typeUrl: `type.googleapis.com/t${index}` }));
  stream.resume();
  expect(await ended).toBe(status.RESOURCE_EXHAUSTED);
  await untilNone(service);
});

it('a stream that requests endless names is ended', async () => {
  const { open } = await openWorld();
  const { stream, ended } = open();
  stream.resume();
  for (let batch = 0; batch < 30; batch += 1) {
    const names = Array.from({ length: 10_000 }, (_, index) => `n${batch}-${index}`);
    stream.write(createDeltaRequest({ typeUrl: endpoint, resourceNamesSubscribe: names }));
  }
  expect(await ended).toBe(status.RESOURCE_EXHAUSTED);
});

it('a stream that sends an invalid request is ended, and the next one is served', async () => {
  const { open, service, set } = await openWorld();
  set(1, 'x');
  const { stream, ended } = open(() => Buffer.from('ffffffff', 'hex'));
  stream.resume();
  stream.write(createDeltaRequest({}));
  expect(await ended).not.toBe(status.OK);
  await untilNone(service);
  const next = open();
  next.stream.write(createDeltaRequest({ typeUrl: cluster }));
  const first = await new Promise<{ resources: unknown[] }>((resolve) => next.stream.once('data', resolve));
  expect(first.resources).toHaveLength(1);
});

it('nothing is queued for a client that requests repeatedly and does not read', async () => {
  let handed = 0;
  const { open, set } = await openWorld({
    openStream: () => {
      const cache = new SnapshotCache();
      const parts = Array.from({ length: 100 }, (_, index) => ({
        resource: createResource({ typeUrl: endpoint, name: `e${index}` }, Buffer.alloc(10_000)),
      }));
      cache.set(NODE, createSnapshot(parts));
      const observer = { sent: () => (handed += 1) };
      return { accept: true, source: cache.source(NODE), observer, maxOutstanding: 1_000_000 };
    },
  });
  set(0, '');
  const { stream } = open();
  stream.pause();
  const names = Array.from({ length: 100 }, (_, index) => `e${index}`);
  for (let time = 0; time < 500; time += 1) {
    stream.write(createDeltaRequest({ typeUrl: endpoint, resourceNamesSubscribe: names }));
    if (time % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => handed).toBeGreaterThan(3);
  await new Promise((resolve) => setTimeout(resolve, 300));
  // A megabyte each: what fits in the socket and the call's own buffer, but not one per request.
  expect(handed).toBeLessThan(60);
});

it('a stream whose client disconnects while it is being checked is forgotten', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let closed = 0;
  const { open, service } = await openWorld({
    openStream: async () => {
      await promise;
      return { accept: true, source: new SnapshotCache().source(NODE), onClose: () => (closed += 1) };
    },
  });
  const { stream } = open();
  stream.resume();
  stream.on('error', () => {});
  stream.write(createDeltaRequest({ typeUrl: cluster }));
  await expect.poll(() => service.count()).toBe(1);
  stream.cancel();
  await untilNone(service);
  resolve();
  await expect.poll(() => closed).toBe(1);
});
