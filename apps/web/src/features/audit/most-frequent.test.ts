import { expect, it } from 'vitest';
import { mostFrequent } from './most-frequent.ts';

it('the five most frequent names are returned, the most frequent first, even if names are numbers', () => {
  const counts = { 7: 1, a: 2, b: 9, c: 3, d: 4, e: 5 };
  expect(mostFrequent(counts).map(({ name }) => name)).toEqual(['b', 'e', 'd', 'c', 'a']);
});

it('an agent is counted once, although entries have its ID when it enrols and its name when it runs a command', () => {
  const id = '01990000-0000-7000-8000-000000000001';
  const nameOf = (user: string) => (user === id ? 'edge-1' : user);
  expect(mostFrequent({ admin: 6, 'edge-1': 5, [id]: 2 }, nameOf)).toEqual([
    { name: 'edge-1', count: 7, values: ['edge-1', id] },
    { name: 'admin', count: 6, values: ['admin'] },
  ]);
});
