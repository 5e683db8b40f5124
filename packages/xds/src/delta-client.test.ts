import { err, ok } from '@flotilla/kit';
import { expect, it } from 'vitest';
import { DeltaClient, type NodePlan } from './delta-client.ts';
import type { DeltaRequest } from './messages.ts';
import { createResource, createSnapshot, type Resource, type Snapshot, type SnapshotPart } from './resource.ts';
import { RESOURCE_TYPE, TYPE_ORDER } from './resource-type.ts';

const NODE = 'shop::p1::c1';
const { cluster, endpoint, nodePlan } = RESOURCE_TYPE;

const partOf = (typeUrl: string, name: string, content = name): SnapshotPart => ({
  resource: createResource({ typeUrl, name }, Buffer.from(content)),
  ...(typeUrl === cluster && { dependsOn: [{ typeUrl: endpoint, name }] }),
});

function toPlan(parts: readonly SnapshotPart[], node = NODE): Resource {
  const plan: NodePlan = {
    snapshotVersion: createSnapshot(parts).version,
    resources: parts.map(({ resource: { typeUrl, name, version }, dependsOn = [] }) => ({
      typeUrl,
      name,
      version,
      dependsOn,
    })),
  };
  return createResource({ typeUrl: nodePlan, name: node }, Buffer.from(JSON.stringify(plan)));
}

function openClient(initial?: Snapshot) {
  const snapshots: Snapshot[] = [];
  const requests: DeltaRequest[] = [];
  const client = new DeltaClient({
    nodeId: NODE,
    parsePlan: (bytes) => {
      const text = Buffer.from(bytes).toString();
      return text.startsWith('{') ? ok(JSON.parse(text)) : err('is no plan');
    },
    onSnapshot: (snapshot) => snapshots.push(snapshot),
    ...(initial && { initial }),
  });
  let nonce = 0;
  const receive = (typeUrl: string, resources: Resource[], removedResources: string[] = []) => {
    nonce += 1;
    client.receive({
      typeUrl,
      nonce: `${nonce}`,
      removedResources,
      resources: resources.map(({ name, version, bytes }) => ({ name, version, resource: { typeUrl, value: bytes } })),
    });
    return requests.at(-1);
  };
  const connect = () => client.connect((request) => requests.push(request));
  connect();
  return { client, snapshots, requests, receive, connect };
}

it('the client subscribes to every type by wildcard', () => {
  const { requests } = openClient();
  expect(requests.map(({ typeUrl }) => typeUrl)).toEqual(TYPE_ORDER);
  expect(requests.every(({ resourceNamesSubscribe }) => resourceNamesSubscribe[0] === '*')).toBe(true);
});

it('the client publishes a snapshot only when it has everything that the plan names', () => {
  const { snapshots, receive } = openClient();
  const parts = [partOf(cluster, 'a'), partOf(endpoint, 'a')];
  receive(cluster, [partOf(cluster, 'a').resource]);
  receive(nodePlan, [toPlan(parts)]);
  expect(snapshots).toEqual([]);
  receive(endpoint, [partOf(endpoint, 'a').resource]);
  expect(snapshots.map(({ version }) => version)).toEqual([createSnapshot(parts).version]);
  expect(snapshots[0]?.dependencies.size).toBe(1);
});

it('the client keeps the complete snapshot while the next one is arriving', () => {
  const { client, snapshots, receive } = openClient();
  const parts = [partOf(cluster, 'a')];
  receive(cluster, [partOf(cluster, 'a').resource]);
  receive(nodePlan, [toPlan(parts)]);
  receive(cluster, [partOf(cluster, 'b').resource], ['a']);
  expect([snapshots.length, client.snapshot?.version]).toEqual([1, createSnapshot(parts).version]);
  receive(nodePlan, [toPlan([partOf(cluster, 'b')])]);
  expect(client.snapshot?.version).toBe(createSnapshot([partOf(cluster, 'b')]).version);
});

it('the client rejects content that does not match its version, and an invalid plan', () => {
  const { receive, snapshots } = openClient();
  const forged = { ...partOf(cluster, 'a').resource, version: 'other' };
  expect(receive(cluster, [forged])).toMatchObject({ responseNonce: '1', errorDetail: { code: 3 } });
  const plan = createResource({ typeUrl: nodePlan, name: NODE }, Buffer.from('nonsense'));
  expect(receive(nodePlan, [plan])?.errorDetail?.message).toBe(`plan of node "${NODE}": is no plan`);
  expect(snapshots).toEqual([]);
});

it('the client ignores the plan of another node', () => {
  const { receive, snapshots } = openClient();
  receive(nodePlan, [toPlan([], 'other::p1::c1')]);
  expect(snapshots).toEqual([]);
});

it('the client reports on reconnection what it has, including its initial snapshot', () => {
  const initial = createSnapshot([partOf(cluster, 'a')]);
  const { requests, receive, connect, client } = openClient(initial);
  const version = partOf(cluster, 'a').resource.version;
  expect(requests.find(({ typeUrl }) => typeUrl === cluster)?.initialResourceVersions).toEqual({ a: version });
  receive(cluster, [partOf(cluster, 'b').resource]);
  client.disconnect();
  requests.length = 0;
  connect();
  expect(Object.keys(requests.find(({ typeUrl }) => typeUrl === cluster)?.initialResourceVersions ?? {})).toEqual([
    'a',
    'b',
  ]);
});
