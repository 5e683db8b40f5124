import type { SearchItem } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { arrange, type Entry, findEntries, GROUPS } from './entries.ts';
import { readAct, toOperationEntries } from './operations.ts';

const item = (name: string, rank: number): SearchItem => ({
  kind: 'policy',
  id: name,
  name,
  rank,
  updated_at: '2026-01-01T00:00:00.000Z',
});
const place = (label: string) => ({ id: label, label, group: 'places' }) as Entry;
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
  expect(labels(findEntries('zone secr', undefined, () => true))).toEqual([]);
  expect(findEntries('zone secr', 'p', () => true)).toMatchObject([
    { params: { project: 'p', section: 'zone-secrets' } },
  ]);
});

it.each([
  ['profile', 'Profile and sessions'],
  ['theme', 'Use the light theme'],
  ['dark', 'Use the dark theme'],
  ['system', 'Use the theme of the system'],
  ['sign out', 'Sign out'],
  ['2fa', 'Second factor'],
  ['certificate', 'Certificates and keys'],
  ['error', 'Overview'],
  ['docs', 'API description (OpenAPI)'],
  ['help', 'API description (OpenAPI)'],
])('finds %s (screen bug 9)', (typed, label) => {
  expect(labels(findEntries(typed, 'p', () => true))).toContain(label);
});

it.each(['smtp', 'clouds', 'geoip', 'threat'])('finds no page for what does not exist: %s (screen bug 12)', (typed) => {
  expect(findEntries(typed, 'p', () => true)).toEqual([]);
});

const service = (name: string): SearchItem => ({ ...item(name, 2), kind: 'service', id: `id of ${name}` });

it.each([
  ['restart shop', ['Restart: shop'], { do: 'restart' }],
  ['shop reload', ['Reload: shop'], { do: 'reload' }],
  ['upgrade shop', ['Set proxy version: shop'], { do: 'version' }],
  ['errors shop', ['Errors: shop'], { tab: 'errors' }],
])('offers what is meant by “%s”, with the service by its name (screen bug 9)', (typed, offered, search) => {
  const meant = readAct(typed, 'admin');
  const entries = meant ? toOperationEntries(meant, [service('shop'), service('blog')], 'p') : [];
  expect(labels(entries)).toEqual(offered);
  expect(entries[0]).toMatchObject({ params: { project: 'p', serviceId: 'id of shop' }, search });
});

it('offers all services for an operation alone, and no operation to those who may not run one (screen bug 9)', () => {
  const meant = readAct('deploy', 'editor');
  expect(labels(meant ? toOperationEntries(meant, [service('shop'), service('blog')], 'p') : [])).toEqual([
    'Deploy: shop',
    'Deploy: blog',
  ]);
  expect(readAct('restart shop', 'viewer')).toBeUndefined();
  expect(readAct('upgrade shop', 'editor')).toBeUndefined();
});

it('stands in groups while nothing was typed (screen bug 9)', () => {
  const entries = arrange(
    [item('demo', 0)],
    findEntries('', 'p', () => true),
    { text: '', project: 'p' },
  );
  const groups = entries.map(({ group }) => group);
  expect([...new Set(groups)]).toEqual([...GROUPS]);
  expect(groups).toEqual(groups.toSorted((a, b) => GROUPS.indexOf(a) - GROUPS.indexOf(b)));
});
