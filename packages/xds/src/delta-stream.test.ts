import { expect, it } from 'vitest';
import { DeltaStream } from './delta-stream.ts';
import type { DeltaRequest } from './messages.ts';
import { createResource, createSnapshot, deriveContentVersion, type Resource } from './resource.ts';
import { RESOURCE_TYPE } from './resource-type.ts';
import { SnapshotCache } from './snapshot-cache.ts';
import type { DeltaResponse } from './wire.ts';

const NODE = 'shop::p1::c1';
const { cluster, endpoint, listener } = RESOURCE_TYPE;

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text);
}

function resourceOf(typeUrl: string, name: string, content = name): Resource {
  return createResource({ typeUrl, name }, bytesOf(content));
}

function openStream(options: { maxOutstanding?: number; maxResponseBytes?: number } = {}) {
  const cache = new SnapshotCache();
  const sent: DeltaResponse[] = [];
  let writable = true;
  const stream = new DeltaStream({
    source: cache.source(NODE),
    send: (response) => {
      sent.push(response);
      return writable;
    },
    ...options,
  });
  return {
    stream,
    set: (...resources: Resource[]) => cache.set(NODE, createSnapshot(resources.map((resource) => ({ resource })))),
    block: () => {
      writable = false;
    },
    unblock: () => {
      writable = true;
      stream.resume();
    },
    request: (typeUrl: string, fields: Partial<DeltaRequest> = {}) =>
      stream.receive({
        typeUrl,
        resourceNamesSubscribe: [],
        resourceNamesUnsubscribe: [],
        initialResourceVersions: {},
        responseNonce: '',
        ...fields,
      }),
    take: () => sent.splice(0).map((response) => summarize(response)),
    last: () => sent.at(-1),
  };
}

function summarize({ typeUrl, nonce, resources, removed }: DeltaResponse) {
  return {
    type: typeUrl.split('.').at(-1),
    nonce,
    resources: resources.map(({ name, bytes }) => `${name}=${Buffer.from(bytes)}`),
    removed,
  };
}

const nack = (message: string) => ({ errorDetail: { code: 3, message } });

it('the stream answers a wildcard with all resources, and a change with only the changed one', () => {
  const { set, request, take } = openStream();
  set(resourceOf(cluster, 'a'), resourceOf(cluster, 'b'));
  request(cluster);
  expect(take()).toEqual([{ type: 'Cluster', nonce: '1', resources: ['a=a', 'b=b'], removed: [] }]);
  request(cluster, { responseNonce: '1' });
  set(resourceOf(cluster, 'a', 'a2'), resourceOf(cluster, 'b'));
  expect(take()).toMatchObject([{ resources: ['a=a2'] }]);
});

it('the stream answers the first wildcard even if nothing exists, and sends nothing until the source is ready', () => {
  const { set, request, take } = openStream();
  request(cluster);
  expect(take()).toEqual([]);
  set(resourceOf(listener, 'l'));
  request(cluster);
  expect(take()).toMatchObject([{ type: 'Cluster', resources: [], removed: [] }]);
  request(cluster, { responseNonce: '1' });
  request(cluster);
  expect(take()).toEqual([]);
});

it('the stream sends one response at a time per type, and the latest state after its acknowledgement', () => {
  const { set, request, take } = openStream();
  set(resourceOf(cluster, 'a'));
  request(cluster);
  take();
  set(resourceOf(cluster, 'a', 'a2'));
  set(resourceOf(cluster, 'a', 'a3'));
  expect(take()).toEqual([]);
  request(cluster, { responseNonce: '1' });
  expect(take()).toMatchObject([{ resources: ['a=a3'] }]);
});

it('the stream reports that a resource requested by name is absent, and sends it when it appears', () => {
  const { set, request, take } = openStream();
  set(resourceOf(cluster, 'a'));
  request(endpoint, { resourceNamesSubscribe: ['a'] });
  expect(take()).toMatchObject([{ resources: [], removed: ['a'] }]);
  request(endpoint, { responseNonce: '1' });
  set(resourceOf(cluster, 'a'), resourceOf(endpoint, 'a', 'e1'), resourceOf(endpoint, 'other'));
  expect(take()).toMatchObject([{ resources: ['a=e1'], removed: [] }]);
});

it('the stream resends nothing that a reconnecting client has, and removes what the client has too much', () => {
  const { set, request, take } = openStream();
  set(resourceOf(cluster, 'a'), resourceOf(cluster, 'b'));
  const versions = { a: deriveContentVersion(bytesOf('a')), b: 'old', gone: 'x' };
  request(cluster, { initialResourceVersions: versions });
  expect(take()).toMatchObject([{ resources: ['b=b'], removed: ['gone'] }]);
});

it('the stream sends a resource again if the client requests it again', () => {
  const { set, request, take } = openStream();
  set(resourceOf(endpoint, 'a'));
  request(endpoint, { resourceNamesSubscribe: ['a'] });
  request(endpoint, { responseNonce: '1', resourceNamesSubscribe: ['a'] });
  expect(take()).toHaveLength(2);
});

it('the stream stops sending resources that the client unsubscribed from', () => {
  const { set, request, take } = openStream();
  set(resourceOf(endpoint, 'a'), resourceOf(endpoint, 'b'));
  request(endpoint, { resourceNamesSubscribe: ['a', 'b'] });
  request(endpoint, { responseNonce: '1', resourceNamesUnsubscribe: ['a'] });
  take();
  set(resourceOf(endpoint, 'a', 'a2'), resourceOf(endpoint, 'b', 'b2'));
  expect(take()).toMatchObject([{ resources: ['b=b2'], removed: [] }]);
});

it('the stream sends the current state of a name that is unsubscribed under a wildcard', () => {
  const { set, request, take } = openStream();
  set(resourceOf(cluster, 'a'));
  request(cluster, { resourceNamesSubscribe: ['*', 'a', 'x'] });
  take();
  request(cluster, { responseNonce: '1', resourceNamesUnsubscribe: ['a', 'x'] });
  expect(take()).toMatchObject([{ resources: ['a=a'], removed: ['x'] }]);
});

it('the stream keeps only names after the wildcard is unsubscribed', () => {
  const { set, request, take } = openStream();
  set(resourceOf(cluster, 'a'), resourceOf(cluster, 'b'));
  request(cluster, { resourceNamesSubscribe: ['*', 'a'] });
  request(cluster, { responseNonce: '1', resourceNamesUnsubscribe: ['*'] });
  take();
  set(resourceOf(cluster, 'a', 'a2'), resourceOf(cluster, 'b', 'b2'));
  expect(take()).toMatchObject([{ resources: ['a=a2'] }]);
});

it('the stream does not repeat a refused resource until its content changes', () => {
  const { set, request, take } = openStream();
  set(resourceOf(cluster, 'a', 'bad'));
  request(cluster);
  request(cluster, { responseNonce: '1', ...nack('no') });
  expect(take()).toHaveLength(1);
  set(resourceOf(cluster, 'a', 'bad'), resourceOf(listener, 'l'));
  request(cluster);
  expect(take()).toEqual([]);
  set(resourceOf(cluster, 'a', 'good'));
  expect(take()).toMatchObject([{ resources: ['a=good'] }]);
});

it('the stream finds the culprit of a refused response by sending smaller groups', () => {
  const { set, request, stream, last, take } = openStream();
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  set(...names.map((name) => resourceOf(cluster, name)));
  request(cluster);
  const accepted = new Set<string>();
  let answers = 0;
  for (let response = last(); response && answers < 50; response = last()) {
    take();
    answers += 1;
    const bad = response.resources.some(({ name }) => name === 'e');
    if (!bad) for (const { name } of response.resources) accepted.add(name);
    request(cluster, { responseNonce: response.nonce, ...(bad ? nack('something is wrong') : {}) });
  }
  expect([...accepted].sort()).toEqual(['a', 'b', 'c', 'd', 'f', 'g']);
  expect(answers).toBeLessThan(10);
  stream.close();
});

it('the stream sends the unnamed resources first if the reason names the culprit', () => {
  const { set, request, take } = openStream();
  set(resourceOf(cluster, 'first'), resourceOf(cluster, 'second'), resourceOf(cluster, 'third'));
  request(cluster);
  take();
  request(cluster, { responseNonce: '1', ...nack('Error adding/updating cluster(s) second: bad') });
  expect(take()).toMatchObject([{ resources: ['first=first', 'third=third'] }]);
  request(cluster, { responseNonce: '2' });
  expect(take()).toMatchObject([{ resources: ['second=second'] }]);
});

it('the stream sends the old content again if a refused response may have been applied in part', () => {
  const { set, request, take } = openStream();
  set(resourceOf(cluster, 'a'), resourceOf(cluster, 'b'));
  request(cluster);
  request(cluster, { responseNonce: '1' });
  set(resourceOf(cluster, 'a', 'a2'), resourceOf(cluster, 'b', 'b2'));
  take();
  set(resourceOf(cluster, 'a'), resourceOf(cluster, 'b'));
  request(cluster, { responseNonce: '2', ...nack('b: bad') });
  expect(take()).toMatchObject([{ resources: ['a=a'] }]);
  request(cluster, { responseNonce: '3' });
  expect(take()).toMatchObject([{ resources: ['b=b'] }]);
});

it('the stream ignores an answer with an unknown nonce', () => {
  const { set, request, take } = openStream();
  set(resourceOf(cluster, 'a'));
  request(cluster);
  take();
  request(cluster, { responseNonce: 'stale' });
  set(resourceOf(cluster, 'a', 'a2'));
  expect(take()).toEqual([]);
  request(cluster, { responseNonce: '1' });
  expect(take()).toHaveLength(1);
});

it('the stream splits a large set into responses of limited size', () => {
  const { set, request, take } = openStream({ maxResponseBytes: 1000 });
  set(...['a', 'b', 'c'].map((name) => resourceOf(cluster, name, name.repeat(600))));
  request(cluster);
  request(cluster, { responseNonce: '1' });
  request(cluster, { responseNonce: '2' });
  request(cluster, { responseNonce: '3' });
  expect(take().map(({ resources }) => resources.length)).toEqual([1, 1, 1]);
});

it('the stream sends only the latest state after the transport was full', () => {
  const { set, request, take, block, unblock } = openStream({ maxOutstanding: 8 });
  set(resourceOf(cluster, 'a'));
  block();
  request(cluster);
  take();
  set(resourceOf(cluster, 'a', 'a2'));
  set(resourceOf(cluster, 'a', 'a3'));
  expect(take()).toEqual([]);
  unblock();
  expect(take()).toMatchObject([{ resources: ['a=a3'] }]);
});
