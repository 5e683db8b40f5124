import { fleet } from '@flotilla/proto';
import { expect, it } from 'vitest';
import { parseShieldCounters } from './read-counters.ts';

it('parseShieldCounters omits malformed counters and minutes of a filter', () => {
  const good = { policy: 'p', engine: 'api_key', reason: 'apikey.missing', verdict: 'blocked', total: 2 };
  const bad = [
    null,
    { ...good, verdict: 'x' },
    { ...good, total: -1 },
    { ...good, total: 0.5 },
    { ...good, policy: 1 },
  ];
  expect(parseShieldCounters({ epoch: 'e', counters: [good, ...bad] }, 's')).toMatchObject({
    serviceId: 's',
    epoch: 'e',
    counters: [{ policy: 'p', engine: 'api_key', verdict: fleet.ShieldVerdict.BLOCKED, total: 2n }],
  });
  expect(parseShieldCounters({ counters: [] }, 's')).toBeUndefined();
  expect(parseShieldCounters({ epoch: 'e'.repeat(101), counters: [] }, 's')).toBeUndefined();
  expect(parseShieldCounters('nothing', 's')).toBeUndefined();
});
