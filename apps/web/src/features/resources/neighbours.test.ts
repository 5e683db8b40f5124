import { expect, it } from 'vitest';
import { findNeighbours } from './neighbours.ts';

const node = (collection: string, name: string, missing = false) => ({
  id: `${collection}/${name}`,
  collection,
  name,
  missing,
});

it('all documents one reference away are found, in both directions, with the fields that refer to them', () => {
  const graph = {
    nodes: [
      node('routes', 'r'),
      node('clusters', 'b'),
      node('clusters', 'a', true),
      node('listeners', 'l'),
      node('services', 's'),
    ],
    edges: [
      { from: 'services/s', to: 'listeners/l', path: 'listeners[0]' },
      { from: 'listeners/l', to: 'routes/r', path: 'filter_chains[0]' },
      { from: 'routes/r', to: 'clusters/b', path: 'x' },
      { from: 'routes/r', to: 'clusters/a', path: 'y' },
      { from: 'routes/r', to: 'clusters/b', path: 'z' },
    ],
  };
  const { uses, usedBy } = findNeighbours(graph, { collection: 'routes', name: 'r' });
  expect(uses.map(({ name, paths, missing }) => ({ name, paths, missing }))).toEqual([
    { name: 'a', paths: ['y'], missing: true },
    { name: 'b', paths: ['x', 'z'], missing: false },
  ]);
  expect(usedBy.map(({ id }) => id)).toEqual(['listeners/l']);
});
