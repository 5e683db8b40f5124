import { expect, it } from 'vitest';
import { errorOf, nodeOf, resourceOf } from '../testing/detail.ts';
import { toGraph } from './graph-model.ts';
import { placeGraph } from './layout.ts';

const document = (collection: string, name: string, change = {}) => ({
  id: `${collection}/${name}`,
  collection,
  name,
  type: 'some.Type' as string | null,
  missing: false,
  ...change,
});
const edge = (from: string, to: string, path = 'x') => ({ from, to, kind: 'name', path });

const graph = {
  nodes: [
    document('services', 'edge', { type: null }),
    document('clusters', 'upstream'),
    document('clusters', 'given', { type: null }),
    document('routes', 'lost', { missing: true, type: null }),
    document('policies', 'p', { type: null }),
  ],
  edges: [edge('services/edge', 'clusters/upstream', 'a'), edge('services/edge', 'clusters/upstream', 'b')],
};

it('a document has the worst state that any node reports', () => {
  const nodes = [nodeOf({ client_id: 'a' }), nodeOf({ client_id: 'b' }, [resourceOf({ state: 'refused' })])];
  const found = toGraph(graph, { nodes, errors: [] }).nodes.find(({ id }) => id === 'clusters/upstream');
  expect(found?.state).toMatchObject({ word: 'Refused', tone: 'bad' });
});

it('missing documents, resources of a bootstrap and documents without a state are marked', () => {
  const byId = new Map(toGraph(graph, { nodes: [nodeOf()], errors: [] }).nodes.map((node) => [node.id, node]));
  expect(byId.get('routes/lost')).toMatchObject({ isMissing: true, state: { word: 'Missing' } });
  expect(byId.get('clusters/given')).toMatchObject({ isStatic: true, state: { word: 'Not in use' } });
  expect(byId.get('policies/p')?.state).toBeUndefined();
});

it('clients on which the service is not deployed are ignored', () => {
  const nodes = [nodeOf({ deployed: false })];
  expect(toGraph(graph, { nodes, errors: [] }).nodes.find(({ id }) => id === 'clusters/upstream')?.state?.word).toBe(
    'Not in use',
  );
});

it('several references between the same two documents are one edge', () => {
  expect(toGraph(graph, { nodes: [], errors: [] }).edges).toEqual([
    { from: 'services/edge', to: 'clusters/upstream', paths: ['a', 'b'] },
  ]);
});

it('used documents are placed after their users, and no two overlap', () => {
  const places = new Map(placeGraph(toGraph(graph, { nodes: [], errors: [] }), 'LR').map((place) => [place.id, place]));
  const at = (id: string) => places.get(id) ?? { x: 0, y: 0 };
  expect(at('clusters/upstream').x).toBeGreaterThan(at('services/edge').x);
  expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(places.size);
});

it('a running service is applied, not live (screen bug 2)', () => {
  const found = toGraph(graph, { nodes: [nodeOf()], errors: [] }).nodes.find(({ id }) => id === 'clusters/upstream');
  expect(found?.state?.word).toBe('Applied');
});

it('a listener that could not be generated has the reason, and documents that only it uses are blocked (screen bug 4)', () => {
  const listener = 'envoy.config.listener.v3.Listener';
  const message = 'listeners/web at address: no address';
  const error = errorOf({
    code: 'address.missing',
    message,
    resource: { type: listener, name: 'web', node_id: 'n' },
  });
  const used = {
    nodes: [document('services', 'edge'), document('listeners', 'web'), document('routes', 'main')],
    edges: [edge('services/edge', 'listeners/web'), edge('listeners/web', 'routes/main')],
  };
  const route = resourceOf({ type: 'envoy.config.route.v3.RouteConfiguration', name: 'main', state: 'waiting' });
  const { nodes } = toGraph(used, { nodes: [nodeOf({}, [route])], errors: [error] });
  expect(nodes.map(({ state }) => state?.word)).toEqual([undefined, 'Not generated', 'Blocked']);
  expect(nodes[1]?.state).toMatchObject({ tone: 'bad', why: message });
  expect(nodes[2]?.state?.shape).not.toBe('arc');
});
