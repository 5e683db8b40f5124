import { expect, it } from 'vitest';
import type { SotwRequest } from './messages.ts';
import { createResource, createSnapshot, type Resource } from './resource.ts';
import type { ResourceSource, SourceChange } from './resource-source.ts';
import { RESOURCE_TYPE } from './resource-type.ts';
import { SnapshotCache } from './snapshot-cache.ts';
import { SotwStream } from './sotw-stream.ts';
import type { SotwResponse } from './wire.ts';

const NODE = 'shop::p1::c1';
const { cluster, endpoint } = RESOURCE_TYPE;

const resourceOf = (typeUrl: string, name: string, content = name): Resource =>
  createResource({ typeUrl, name }, Buffer.from(content));

function openStream() {
  const cache = new SnapshotCache();
  const sent: SotwResponse[] = [];
  const source = cache.source(NODE);
  let tell: (change: SourceChange) => void = () => undefined;
  const watch: ResourceSource['watch'] = (onChange) => {
    tell = onChange;
    return source.watch(onChange);
  };
  const stream = new SotwStream({
    source: {
      ready: () => source.ready(),
      names: (type) => source.names(type),
      offer: (type, name) => source.offer(type, name),
      watch,
    },
    send: (response) => sent.push(response) > 0,
  });
  return {
    resend: (typeUrl: string, name: string) => tell({ types: new Set([typeUrl]), resend: [{ typeUrl, name }] }),
    set: (...resources: Resource[]) => cache.set(NODE, createSnapshot(resources.map((resource) => ({ resource })))),
    request: (typeUrl: string, fields: Partial<SotwRequest> = {}) =>
      stream.receive({ typeUrl, versionInfo: '', resourceNames: [], responseNonce: '', ...fields }),
    take: () =>
      sent
        .splice(0)
        .map(({ nonce, resources }) => [nonce, ...resources.map(({ name, bytes }) => `${name}=${Buffer.from(bytes)}`)]),
    last: () => sent.at(-1),
  };
}

const nack = (message = 'no') => ({ errorDetail: { code: 3, message } });

it('the stream sends all resources at every change, and omits a removed one', () => {
  const { set, request, take } = openStream();
  set(resourceOf(cluster, 'a'), resourceOf(cluster, 'b'));
  request(cluster);
  expect(take()).toEqual([['1', 'a=a', 'b=b']]);
  request(cluster, { responseNonce: '1' });
  set(resourceOf(cluster, 'b', 'b2'));
  expect(take()).toEqual([['2', 'b=b2']]);
});

it('the stream waits for the answer before the next response, and ignores old nonces', () => {
  const { set, request, take } = openStream();
  set(resourceOf(cluster, 'a'));
  request(cluster);
  request(cluster, { responseNonce: '1' });
  set(resourceOf(cluster, 'a', 'a2'));
  take();
  set(resourceOf(cluster, 'a', 'a3'));
  request(cluster, { responseNonce: '1' });
  expect(take()).toEqual([]);
  request(cluster, { responseNonce: '2' });
  expect(take()).toEqual([['3', 'a=a3']]);
});

it('the stream sends named resources when requested, and nothing for those that do not exist', () => {
  const { set, request, take } = openStream();
  set(resourceOf(endpoint, 'a'), resourceOf(endpoint, 'b'));
  request(endpoint, { resourceNames: ['x'] });
  expect(take()).toEqual([]);
  request(endpoint, { resourceNames: ['x', 'a'] });
  expect(take()).toEqual([['1', 'a=a']]);
  request(endpoint, { resourceNames: ['x', 'a', 'b'], responseNonce: '1' });
  expect(take()).toEqual([['2', 'a=a', 'b=b']]);
  request(endpoint, { resourceNames: [], responseNonce: '2' });
  set(resourceOf(endpoint, 'a', 'a2'), resourceOf(endpoint, 'b'));
  expect(take()).toEqual([]);
});

it('the stream continues with the last good version of a refused resource', () => {
  const { set, request, take } = openStream();
  set(resourceOf(cluster, 'a'), resourceOf(cluster, 'b'));
  request(cluster);
  request(cluster, { responseNonce: '1' });
  set(resourceOf(cluster, 'a', 'bad'), resourceOf(cluster, 'b'));
  take();
  request(cluster, { responseNonce: '2', ...nack() });
  expect(take()).toEqual([]);
  set(resourceOf(cluster, 'a', 'bad'), resourceOf(cluster, 'b', 'b2'));
  expect(take()).toEqual([['3', 'a=a', 'b=b2']]);
});

it('the stream sends a refused version again if the source says so, and an accepted one not', () => {
  const { set, request, take, resend } = openStream();
  set(resourceOf(cluster, 'a'), resourceOf(cluster, 'b'));
  request(cluster);
  request(cluster, { responseNonce: '1' });
  set(resourceOf(cluster, 'a', 'bad'), resourceOf(cluster, 'b'));
  request(cluster, { responseNonce: '2', ...nack() });
  take();
  resend(cluster, 'b');
  expect(take()).toEqual([]);
  resend(cluster, 'a');
  expect(take()).toEqual([['3', 'a=bad', 'b=b']]);
});

it('the stream sends a refused version again once other content was accepted, because its dependencies may exist by then', () => {
  const { set, request, take } = openStream();
  set(resourceOf(cluster, 'a'));
  request(cluster);
  request(cluster, { responseNonce: '1' });
  set(resourceOf(cluster, 'a', 'bad'));
  take();
  request(cluster, { responseNonce: '2', ...nack() });
  set(resourceOf(cluster, 'a', 'a3'));
  expect(take()).toEqual([['3', 'a=a3']]);
  request(cluster, { responseNonce: '3' });
  set(resourceOf(cluster, 'a', 'bad'));
  expect(take()).toEqual([['4', 'a=bad']]);
});

it('the stream finds the culprit among several changes and delivers the others', () => {
  const { set, request, last, take } = openStream();
  const names = ['a', 'b', 'c', 'd', 'e'];
  set(...names.map((name) => resourceOf(cluster, name)));
  request(cluster);
  request(cluster, { responseNonce: '1' });
  set(...names.map((name) => resourceOf(cluster, name, `${name}2`)));
  let answers = 0;
  let accepted: string[] = [];
  for (let response = last(); response && answers < 20; response = last()) {
    const contents = response.resources.map(({ bytes }) => `${Buffer.from(bytes)}`);
    take();
    answers += 1;
    const bad = contents.includes('c2');
    if (!bad) accepted = contents;
    request(cluster, { responseNonce: response.nonce, ...(bad ? nack() : {}) });
  }
  expect(accepted).toEqual(['a2', 'b2', 'c', 'd2', 'e2']);
  expect(answers).toBeLessThan(10);
});

it('the stream answers the first wildcard even if nothing exists', () => {
  const { set, request, take } = openStream();
  set(resourceOf(endpoint, 'a'));
  request(cluster);
  expect(take()).toEqual([['1']]);
});
