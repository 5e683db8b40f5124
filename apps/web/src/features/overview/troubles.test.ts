import type { Overview } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { createOverview } from './test-overview.ts';
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

it('tells the worst first', () => {
  const overview = createOverview({
    services: { total: 3, live: 0, partial: 1, offline: 2, not_deployed: 0, worst: [] },
    clients: { total: 3, live: 0, offline: 3, offline_clients: [] },
    config_errors: { active: 4, critical: 1, error: 2, warning: 1, newest: [] },
    certificates: { ended: 1, ends_soon: 2, first: [] },
  });
  expect(listTroubles(overview).map(({ tone, text }) => `${tone}: ${text}`)).toEqual([
    'bad: 2 services are offline',
    'bad: 3 configuration errors are open',
    'bad: 1 certificate has ended',
    'warn: 1 service is partly live',
    'warn: 3 clients are offline',
    'warn: 1 configuration warning is open',
    'warn: 2 certificates end within 30 days',
  ]);
});

it('counts a node once, however many of its resources are refused', () => {
  const items = [change('refused', 'a'), change('refused', 'a'), change('held', 'a'), change('behind', 'b')];
  expect(listTroubles(createOverview({ pending_changes: { nodes: 2, items } })).map(({ text }) => text)).toEqual([
    '1 node refuses a change',
    '1 node is behind',
  ]);
});

it('finds nothing where all is well, or where the role may not know', () => {
  expect(listTroubles(createOverview())).toEqual([]);
  const unknown = { services: null, clients: null, config_errors: null, pending_changes: null };
  expect(listTroubles(createOverview(unknown))).toEqual([]);
});

it('shows the first steps until something is deployed', () => {
  const none = { total: 0, live: 0, partial: 0, offline: 0, not_deployed: 0, worst: [] };
  const clients = { total: 0, live: 0, offline: 0, offline_clients: [] };
  expect(findFirstSteps(createOverview({ services: none, clients }))).toEqual({ hasClient: false, hasService: false });
  expect(findFirstSteps(createOverview({ services: { ...none, total: 1, not_deployed: 1 } }))).toEqual({
    hasClient: true,
    hasService: true,
  });
  expect(findFirstSteps(createOverview())).toBeUndefined();
  expect(findFirstSteps(createOverview({ services: null, clients: null }))).toBeUndefined();
});
