import { expect, it } from 'vitest';
import { errorOf, nodeOf, resourceOf } from '../test-detail.ts';
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

it('shows the worst state that any node reports', () => {
  const nodes = [nodeOf({ client_id: 'a' }), nodeOf({ client_id: 'b' }, [resourceOf({ state: 'refused' })])];
  const found = toGraph(graph, { nodes, errors: [] }).nodes.find(({ id }) => id === 'clusters/upstream');
  expect(found?.state).toMatchObject({ word: 'Refused', tone: 'bad' });
});

it('marks what is missing, what a bootstrap gives, and what has no state', () => {
  const byId = new Map(toGraph(graph, { nodes: [nodeOf()], errors: [] }).nodes.map((node) => [node.id, node]));
  expect(byId.get('routes/lost')).toMatchObject({ isMissing: true, state: { word: 'Missing' } });
  expect(byId.get('clusters/given')).toMatchObject({ isStatic: true, state: { word: 'Not in use' } });
  expect(byId.get('policies/p')?.state).toBeUndefined();
});

it('does not count what a client reports that is only listed', () => {
  const nodes = [nodeOf({ deployed: false })];
  expect(toGraph(graph, { nodes, errors: [] }).nodes.find(({ id }) => id === 'clusters/upstream')?.state?.word).toBe(
    'Not in use',
  );
});

it('draws one line for several references between the same two', () => {
  expect(toGraph(graph, { nodes: [], errors: [] }).edges).toEqual([
    { from: 'services/edge', to: 'clusters/upstream', paths: ['a', 'b'] },
  ]);
});

it('places what is used behind what uses it, and nothing over another', () => {
  const places = new Map(placeGraph(toGraph(graph, { nodes: [], errors: [] }), 'LR').map((place) => [place.id, place]));
  const at = (id: string) => places.get(id) ?? { x: 0, y: 0 };
  expect(at('clusters/upstream').x).toBeGreaterThan(at('services/edge').x);
  expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(places.size);
});

it('screen bug 2: says of what runs that it is applied, not that it is live', () => {
  const found = toGraph(graph, { nodes: [nodeOf()], errors: [] }).nodes.find(({ id }) => id === 'clusters/upstream');
  expect(found?.state?.word).toBe('Applied');
});

it('screen bug 4: shows a listener that could not be generated with the reason, and what only it uses as blocked', () => {
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
