import { expect, it } from 'vitest';
import { readShow, toFindingQuery, toSelection } from './finding-filters.ts';

it('the view chooses states unless the filter does', () => {
  expect(toFindingQuery({}, 'waiting')).toEqual({ state: ['new', 'came_back'] });
  expect(toFindingQuery({ state: ['fixed'] }, 'open')).toEqual({ state: ['fixed'] });
  expect(toFindingQuery({ host: ['a', 'b'] }, 'all')).toEqual({ host: 'b' });
});

it.each(['toString', '', undefined, 'x'])('an unknown view %j is that of the open findings', (value) => {
  expect(readShow(value)).toBe('open');
});

it('the selection of a change has the filters of the list without its order', () => {
  expect(toSelection({ state: ['new'], unassigned: 'true', sort: 'host', q: 'x' })).toEqual({
    state: ['new'],
    unassigned: true,
    q: 'x',
  });
});
