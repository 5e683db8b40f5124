import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ALL_SCREENS } from './all-screens.ts';
import { ALL_LINKS, GO_KEYS } from './destinations.ts';

const pages = ALL_SCREENS.flatMap(({ pages = {} }) => Object.keys(pages));

it('the screens of every feature are found', () => {
  const files = globSync('../features/*/screens.ts', { cwd: import.meta.dirname });
  expect(files.length).toBeGreaterThan(20);
  expect(ALL_SCREENS).toHaveLength(files.length);
});

it('no two features have a page at the same address', () => {
  expect(pages.filter((page, index) => pages.indexOf(page) !== index)).toEqual([]);
});

it('every link and action leads to a page', () => {
  const actions = ALL_SCREENS.flatMap(({ actions = [] }) => actions);
  expect([...ALL_LINKS, ...actions].map(({ to }) => to).filter((to) => !pages.includes(to))).toEqual([]);
});

it('every link is in an area, at a place of its own', () => {
  expect(ALL_LINKS).toHaveLength(ALL_SCREENS.flatMap(({ links = [] }) => links).length);
  const places = ALL_LINKS.map(({ area, order }) => `${area} ${order}`);
  expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([]);
});

it('no two links share a key', () => {
  const keys = ALL_LINKS.flatMap(({ goKey }) => goKey ?? []);
  expect(new Set(keys).size).toBe(keys.length);
  expect(GO_KEYS.size).toBe(keys.length);
  expect(GO_KEYS.get('g s')?.to).toBe('/p/$project/services');
});
