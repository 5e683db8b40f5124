import type { Health } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { describeService } from './status.ts';

const target = (client_name: string, connected: boolean, deployed = true) => ({ client_name, connected, deployed });
const health = (state: Health['state'], more: Partial<Health> = {}): Health => ({
  state,
  last_known: null,
  reasons: [],
  ...more,
});

it('a service that serves is Live', () => {
  const { word, why } = describeService({ health: health('live'), targets: [target('a', true)] });
  expect(word).toBe('Live');
  expect(why).toContain('upstreams are healthy');
});

it.each([
  ['degraded', 'Degraded', 'warn'],
  ['failed', 'Failed', 'bad'],
] as const)('a service that is %s has the reason (screen bugs 2 and 3)', (state, word, tone) => {
  const message = 'Cluster "shop" has unhealthy endpoints: 127.0.0.1:9000 (failed its health check)';
  const reasons = [
    { code: 'unhealthy_upstream' as const, message, client_id: 'a', name: 'shop', endpoints: ['127.0.0.1:9000'] },
  ];
  const described = describeService({ health: health(state, { reasons }), targets: [target('a', true)] });
  expect(described).toMatchObject({ word, tone, why: message });
});

it('a lost connection is a warning with the last known state and the names of a few clients (screen bug 5)', () => {
  const away = describeService({
    health: health('unreachable', { last_known: 'live' }),
    targets: Array.from({ length: 8 }, (_, i) => target(`c${i}`, false)),
  });
  expect(away).toMatchObject({ word: 'Unreachable (last known: serving)', tone: 'warn' });
  expect(away.why).toMatch(/connection.* lost: c0, .*c4 and 3 more/);
});

it('a service with assigned clients is distinguished from one without any', () => {
  const idle = health('not_deployed');
  expect(describeService({ health: idle, targets: [target('a', true, false)] }).why).toContain('assigned');
  expect(describeService({ health: idle, targets: [] }).why).toBe('No clients are assigned');
});
