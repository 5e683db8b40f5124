import { expect, it } from 'vitest';
import { listSections } from './sections.ts';

const one = (type: string, name: string, resource: unknown = {}) => ({
  type,
  name,
  resource,
  version: 'v',
  depends_on: [],
});
const resources = [
  one('envoy.config.cluster.v3.Cluster', 'b'),
  one('envoy.config.cluster.v3.Cluster', 'a', { address: '192.0.2.7' }),
  one('envoy.config.listener.v3.Listener', 'edge'),
  one('other.Thing', 'x'),
];

it('resource types are in the order in which traffic passes them, with unknown ones last', () => {
  const sections = listSections(resources, '');
  expect(sections.map(({ title }) => title)).toEqual(['Listeners', 'Clusters', 'Thing']);
  expect(sections[1]?.resources.map(({ name }) => name)).toEqual(['a', 'b']);
});

it('resources are found by name and by content', () => {
  expect(listSections(resources, 'EDGE').map(({ title }) => title)).toEqual(['Listeners']);
  expect(listSections(resources, '192.0.2.7')[0]?.resources.map(({ name }) => name)).toEqual(['a']);
  expect(listSections(resources, 'nowhere')).toEqual([]);
});
