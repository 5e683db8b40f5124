import type { SearchItem } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { arrange, type Entry, findEntries } from './entries.ts';

const item = (name: string, rank: number): SearchItem => ({
  kind: 'policy',
  id: name,
  name,
  rank,
  updated_at: '2026-01-01T00:00:00.000Z',
});
const place = (label: string) => ({ id: label, label }) as Entry;
const labels = (entries: readonly Entry[]) => entries.map(({ label }) => label);

it('offers names that hold the text before places, and names that are only alike after them', () => {
  const entries = arrange([item('edge', 1), item('egde', 3)], [place('Edges')], { text: 'edge', project: 'p' });
  expect(labels(entries)).toEqual(['edge', 'Edges', 'egde']);
});

it('offers no answer to an earlier text: Enter must not go there', () => {
  expect(labels(arrange([item('demo', 1)], [place('Create a cluster')], { text: 'create', project: 'p' }))).toEqual([
    'Create a cluster',
  ]);
});

it('offers places first when nothing was typed', () => {
  expect(labels(arrange([item('demo', 0)], [place('Overview')], { text: '', project: 'p' }))).toEqual([
    'Overview',
    'demo',
  ]);
});

it('finds an action by the beginnings of its words, in any order, and only what one may do', () => {
  expect(labels(findEntries('clu cre', 'p', () => true))).toEqual(['Create a cluster']);
  expect(findEntries('clu cre', 'p', () => false)).toEqual([]);
  expect(labels(findEntries('proj', undefined, () => true))).toContain('Projects');
  expect(labels(findEntries('overview', undefined, () => true))).toEqual([]);
});

it('finds each page of the settings, those of the project only in one', () => {
  expect(labels(findEntries('sett sysl', undefined, () => true))).toEqual(['Settings: Syslog forwarding']);
  expect(labels(findEntries('clouds', undefined, () => true))).toEqual([]);
  expect(findEntries('clouds', 'p', () => true)).toMatchObject([{ params: { project: 'p', section: 'cloud' } }]);
});
