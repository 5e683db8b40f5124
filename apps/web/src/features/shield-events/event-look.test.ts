import type { ShieldEvent } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { trialSearch, verdictLook } from './event-look.ts';

const event = {
  service_id: 's1',
  method: 'GET',
  host: 'a.example.com',
  path: '/x',
  source_ip: '203.0.113.9',
} as ShieldEvent;

it('an event links to a trial of the same request on the same service', () => {
  expect(trialSearch(event)).toEqual({ service: 's1', url: 'https://a.example.com/x', ip: '203.0.113.9' });
  expect(trialSearch({ ...event, method: 'POST', host: '2001:db8::1', source_ip: '' })).toEqual({
    service: 's1',
    method: 'POST',
    url: 'https://[2001:db8::1]/x',
  });
  expect(trialSearch({ ...event, host: '' }).url).toBe('/x');
});

it('an enforced verdict is distinguished from a recorded one', () => {
  const about = { status: 429, detail: '' } as const;
  expect(verdictLook({ ...about, verdict: 'blocked' }).word).toBe('Blocked 429');
  expect(verdictLook({ ...about, verdict: 'detected' }).word).toBe('Detected');
  expect(verdictLook({ ...about, verdict: 'error', detail: '51 ms' }).why).toContain('51 ms');
});
