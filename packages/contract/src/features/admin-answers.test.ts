import { expect, it } from 'vitest';
import {
  readEnvoyClusters,
  readEnvoyLevels,
  readEnvoyListeners,
  readEnvoyServer,
  readEnvoyStats,
} from './admin-answers.ts';

const at = (address: string, port_value?: number) => ({
  socket_address: { address, ...(port_value && { port_value }) },
});

it('the clusters have endpoints with their health', () => {
  const clusters = readEnvoyClusters({
    cluster_statuses: [
      {
        name: 'shop',
        host_statuses: [
          {
            address: at('192.0.2.1', 80),
            weight: 1,
            health_status: { eds_health_status: 'HEALTHY' },
            stats: [{ name: 'rq_active', value: '3' }],
          },
          {
            address: at('2001:db8::1', 80),
            health_status: { failed_active_health_check: true, failed_outlier_check: true },
          },
          { address: { pipe: { path: '/run/a.sock' } }, health_status: { eds_health_status: 'DRAINING' } },
          {
            address: at('192.0.2.4'),
            health_status: { eds_health_status: 'DEGRADED', pending_dynamic_removal: false },
          },
        ],
      },
      { name: 'empty' },
    ],
  });
  expect(clusters?.map(({ name, endpoints }) => [name, endpoints.length])).toEqual([
    ['shop', 4],
    ['empty', 0],
  ]);
  expect(clusters?.[0]?.endpoints).toEqual([
    { address: '192.0.2.1:80', isHealthy: true, health: 'healthy', weight: 1, activeRequests: 3 },
    {
      address: '[2001:db8::1]:80',
      isHealthy: false,
      health: 'failed active health check, failed outlier check',
      weight: 0,
      activeRequests: 0,
    },
    { address: '/run/a.sock', isHealthy: false, health: 'reported as draining', weight: 0, activeRequests: 0 },
    { address: '192.0.2.4:0', isHealthy: true, health: 'degraded', weight: 0, activeRequests: 0 },
  ]);
});

it('the listeners have all of their addresses', () => {
  const body = {
    listener_statuses: [
      { name: 'a', local_address: at('::', 80), additional_local_addresses: [at('192.0.2.1', 81)] },
      { name: 'b' },
    ],
  };
  expect(readEnvoyListeners(body)).toEqual([
    { name: 'a', addresses: ['[::]:80', '192.0.2.1:81'] },
    { name: 'b', addresses: [] },
  ]);
});

it('the statistics have no histograms', () => {
  const stats = [{ name: 'a', value: 0 }, { name: 'b', value: 'text' }, { histograms: { supported_quantiles: [] } }];
  expect(readEnvoyStats({ stats })).toEqual([
    { name: 'a', value: 0 },
    { name: 'b', value: 'text' },
  ]);
});

it('the levels are sorted by logger', () => {
  expect(readEnvoyLevels({ levels: { http: 'info', admin: 'debug', odd: 1 } })).toEqual([
    ['admin', 'debug'],
    ['http', 'info'],
  ]);
});

it('the server has a state, a version and its uptime', () => {
  const body = { version: '9e5/1.40.0/Clean/RELEASE/BoringSSL', state: 'LIVE', uptime_current_epoch: '4s' };
  expect(readEnvoyServer(body)).toEqual({ state: 'LIVE', version: '1.40.0', uptime: '4s' });
  expect(readEnvoyServer({ state: 'LIVE' })).toEqual({ state: 'LIVE', version: '', uptime: '' });
});

it.each([
  undefined,
  null,
  1,
  'text',
  [],
  [{}],
  { cluster_statuses: 1, listener_statuses: {}, stats: 'x', levels: [], state: 1 },
])('an answer of another shape is undefined: %j', (body) => {
  for (const read of [readEnvoyClusters, readEnvoyListeners, readEnvoyStats, readEnvoyLevels, readEnvoyServer])
    expect(read(body)).toBeUndefined();
});

it('items of another shape are left out', () => {
  expect(
    readEnvoyClusters({ cluster_statuses: [null, 1, {}, { name: 'a', host_statuses: [null, { address: 1 }] }] }),
  ).toEqual([
    { name: 'a', endpoints: [{ address: '', isHealthy: true, health: 'healthy', weight: 0, activeRequests: 0 }] },
  ]);
  expect(readEnvoyStats({ stats: [null, {}, { name: 1, value: 2 }, { name: 'a', value: {} }] })).toEqual([]);
  expect(readEnvoyListeners({})).toEqual([]);
});
