import type { SearchItem } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { arrange, type Entry, findEntries } from './entries.ts';
import { readAct, toOperationEntries } from './operations.ts';

const item = (name: string, rank: number): SearchItem => ({
  kind: 'policy',
  id: name,
  name,
  rank,
  updated_at: '2026-01-01T00:00:00.000Z',
});
const place = (label: string): Entry => ({ id: label, label, group: 'places', to: '/', params: {} });
const labels = (entries: readonly Entry[]) => entries.map(({ label }) => label);

it('names that contain the text come before places, and similar names after them', () => {
  const entries = arrange([item('edge', 1), item('egde', 3)], [place('Edges')], { text: 'edge', project: 'p' });
  expect(labels(entries)).toEqual(['edge', 'Edges', 'egde']);
});

it('results for an earlier text are dropped, so that Enter cannot open them', () => {
  expect(labels(arrange([item('demo', 1)], [place('Create a cluster')], { text: 'create', project: 'p' }))).toEqual([
    'Create a cluster',
  ]);
});

it('an empty text lists places first', () => {
  expect(labels(arrange([item('demo', 0)], [place('Overview')], { text: '', project: 'p' }))).toEqual([
    'Overview',
    'demo',
  ]);
});

it('actions match by the beginnings of their words in any order, and only actions that the user may run are listed', () => {
  expect(labels(findEntries('clu cre', 'p', () => true))).toEqual(['Create a cluster']);
  expect(findEntries('clu cre', 'p', () => false)).toEqual([]);
  expect(labels(findEntries('proj', undefined, () => true))).toContain('Projects');
  expect(labels(findEntries('overview', undefined, () => true))).toEqual([]);
});

it('each settings page is found, and those of a project only within one', () => {
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
])('“%s” has a result (screen bug 9)', (typed, label) => {
  expect(labels(findEntries(typed, 'p', () => true))).toContain(label);
});

it.each(['smtp', 'geoip', 'threat'])('settings without a function have no result: %s (screen bug 12)', (typed) => {
  expect(findEntries(typed, 'p', () => true)).toEqual([]);
});

const service = (name: string): SearchItem => ({ ...item(name, 2), kind: 'service', id: `id of ${name}` });

it.each([
  ['restart shop', ['Restart: shop'], { do: 'restart' }],
  ['shop reload', ['Reload: shop'], { do: 'reload' }],
  ['upgrade shop', ['Upgrade Envoy: shop'], { do: 'upgrade' }],
  ['errors shop', ['Errors: shop'], { tab: 'errors' }],
])('“%s” offers the operation with the name of the service (screen bug 9)', (typed, offered, search) => {
  const meant = readAct(typed, 'admin');
  const entries = meant ? toOperationEntries(meant, [service('shop'), service('blog')], 'p') : [];
  expect(labels(entries)).toEqual(offered);
  expect(entries[0]).toMatchObject({ params: { project: 'p', serviceId: 'id of shop' }, search });
});

it('an operation without a name offers all services, and only operations that the role allows are offered (screen bug 9)', () => {
  const meant = readAct('deploy', 'editor');
  expect(labels(meant ? toOperationEntries(meant, [service('shop'), service('blog')], 'p') : [])).toEqual([
    'Deploy: shop',
    'Deploy: blog',
  ]);
  expect(readAct('restart shop', 'viewer')).toBeUndefined();
  expect(readAct('upgrade shop', 'editor')).toBeUndefined();
});

it.each([
  ['', ['places', 'actions', 'account', 'names', 'settings']],
  ['set', ['names', 'actions', 'places', 'account', 'settings', 'similar']],
])('the entries for “%s” are listed by group (screen bug 9)', (text, order) => {
  const entries = arrange(
    [item('set-1', 0), item('sest', 3)],
    findEntries(text, 'p', () => true),
    { text, project: 'p' },
  );
  const groups = [...new Set(entries.map(({ group }) => group))];
  expect(groups).toEqual(order.filter((group) => groups.includes(group as (typeof groups)[number])));
  expect(groups.length).toBeGreaterThan(2);
  expect(entries.map(({ group }) => group)).toEqual(
    groups.flatMap((group) => entries.filter((entry) => entry.group === group).map(() => group)),
  );
});
