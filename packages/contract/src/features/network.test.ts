import { expect, it } from 'vitest';
import { readNetplan, readNetworkPolicies, readNetworkRoutes, readNetworkState, readNetworkTables } from './network.ts';

const READERS = [readNetplan, readNetworkPolicies, readNetworkRoutes, readNetworkState, readNetworkTables];

it('an answer of another form is not read', () => {
  for (const read of READERS)
    for (const answer of [undefined, null, 'x', [], {}, { routes: 1 }, { network_state: { interfaces: [] } }])
      expect(read(answer)).toBeUndefined();
});

it('entries of another form, and members that nobody knows, are left out', () => {
  const table = { id: 100, name: 'uplink', managed: true };
  expect(readNetworkTables({ routing_tables: [{ ...table, more: 1 }, { ...table, id: '100' }, null] })).toEqual({
    routing_tables: [table],
  });
  const generation = { generation: 1, at: 'x', command_id: '', yaml: null };
  expect(
    readNetplan({ generation: 1, generations: [generation, { ...generation, yaml: 7 }], current_yaml: 7 }),
  ).toEqual({
    generation: 1,
    generations: [generation],
    current_yaml: null,
  });
});
