import { expect, it } from 'vitest';
import { progressOf } from './finding-look.ts';

const EVIDENCE = {
  starts_at: '2026-01-01T00:00:00.000Z',
  starts_with: 'sighting',
  counts: 'requests',
  requests: 50,
  requests_needed: 50,
  used_s: 100,
  used_s_needed: 100,
  condition: null,
  condition_met: true,
  is_met: true,
  no_traffic_since: null,
} as const;

it('the progress of the evidence is that of its smallest part, and is whole only if everything is met', () => {
  expect(progressOf(EVIDENCE)).toBe(1);
  expect(progressOf({ ...EVIDENCE, requests: 5 })).toBe(0.1);
  expect(progressOf({ ...EVIDENCE, used_s: 25 })).toBe(0.25);
  expect(progressOf({ ...EVIDENCE, condition: 'anonymous_refused', condition_met: false })).toBeLessThan(1);
});
