import type { Overview } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { createOverview } from './testing/overview.ts';
import { findFirstSteps, listTroubles } from './troubles.ts';

type Change = NonNullable<Overview['pending_changes']>['items'][number];

const change = (state: Change['state'], service: string): Change => ({
  service_id: service,
  service_name: service,
  client_id: 'c',
  client_name: 'c',
  resource: null,
  state,
  reason: null,
  since: null,
});

const NONE = {
  total: 0,
  live: 0,
  partial: 0,
  offline: 0,
  not_deployed: 0,
  failed: 0,
  degraded: 0,
  unreachable: 0,
  worst: [],
};

it('the worst trouble comes first, and a lost connection is a warning (screen bug 5)', () => {
  const overview = createOverview({
    services: {
      ...NONE,
      total: 4,
      partial: 1,
      offline: 2,
      live: 1,
      failed: 1,
      degraded: 1,
      unreachable: 2,
    },
    clients: { total: 3, live: 0, offline: 3, offline_clients: [] },
    config_errors: { active: 4, critical: 1, error: 2, warning: 1, newest: [] },
    certificates: { ended: 1, ends_soon: 2, first: [] },
  });
  expect(listTroubles(overview).map(({ tone, text }) => `${tone}: ${text}`)).toEqual([
    'bad: 1 service has failed',
    'bad: 3 open configuration errors',
    'bad: 1 certificate has expired',
    'warn: 1 service is degraded',
    'warn: 2 services are unreachable',
    'warn: 3 clients are offline',
    'warn: 1 open configuration warning',
    'warn: 2 certificates expire within 30 days',
  ]);
});

it('a node counts once, however many of its resources are refused', () => {
  const items = [change('refused', 'a'), change('refused', 'a'), change('held', 'a'), change('behind', 'b')];
  expect(listTroubles(createOverview({ pending_changes: { nodes: 2, items } })).map(({ text }) => text)).toEqual([
    '1 node refuses a change',
    '1 node is out of date',
  ]);
});

it('an up-to-date configuration has no troubles', () => {
  expect(listTroubles(createOverview())).toEqual([]);
});

it('the first steps are shown until something is deployed', () => {
  const clients = { total: 0, live: 0, offline: 0, offline_clients: [] };
  expect(findFirstSteps(createOverview({ services: NONE, clients }))).toEqual({ hasClient: false, hasService: false });
  expect(findFirstSteps(createOverview({ services: { ...NONE, total: 1, not_deployed: 1 } }))).toEqual({
    hasClient: true,
    hasService: true,
  });
  expect(findFirstSteps(createOverview())).toBeUndefined();
});
