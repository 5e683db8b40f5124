import { describe, expect, it } from 'vitest';
import { keepTimes } from '../time-window.ts';
import { addView, readViews, toView, VIEWS_MAX } from './saved-views.ts';

describe('a saved view', () => {
  it('has filters, catalog, layout and sorting, but nothing of the moment', () => {
    const search = {
      method: ['GET', 'PUT'],
      catalog: 'attack',
      sort: '-seen_count',
      group: 'a /b',
      range: '7d',
      from: 'x',
      event: 'an id',
      live: '1',
    };
    expect(toView('mine', search)).toEqual({
      name: 'mine',
      search: { method: ['GET', 'PUT'], catalog: 'attack', sort: '-seen_count' },
    });
  });

  it('is opened in the time range of the page', () => {
    expect(keepTimes({ from: 'x', to: 'y', method: 'GET', event: 'an id' })).toEqual({ from: 'x', to: 'y' });
  });

  it('replaces one with the same name, and the list is sorted', () => {
    const views = ['b', 'a', 'b'].reduce<ReturnType<typeof addView>>(
      (all, name, index) => addView(all, { name, search: { q: String(index) } }),
      [],
    );
    expect(views).toEqual([
      { name: 'a', search: { q: '1' } },
      { name: 'b', search: { q: '2' } },
    ]);
  });
});

describe('the stored views', () => {
  it.each([
    ['no list', { name: 'x' }],
    ['null', null],
    ['numbers', [1, 2]],
    ['a view without search', [{ name: 'x' }]],
    ['a view with an object as value', [{ name: 'x', search: { q: { a: 1 } } }]],
  ])('are empty if the browser has %s', (_, stored) => {
    expect(readViews(stored)).toEqual([]);
  });

  it('are bounded', () => {
    const many = Array.from({ length: VIEWS_MAX + 5 }, (_, index) => ({ name: String(index), search: {} }));
    expect(readViews(many)).toHaveLength(VIEWS_MAX);
  });
});
