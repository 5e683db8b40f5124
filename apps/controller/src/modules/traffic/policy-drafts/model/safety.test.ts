import { describe, expect, it } from 'vitest';
import { checkSafety, type SafetyFacts } from './safety.ts';

const requests = {
  findings: 4,
  found: 4,
  truncated: false,
  succeeded: 0,
  authenticated: 0,
  anonymous: 4,
  consumers: [],
  statuses: [],
};
const FACTS: SafetyFacts = {
  inspected: 1000,
  services: 1,
  dropped: 0,
  observedMs: 24 * 3_600_000,
  requests,
  detected: 4,
  minRequests: 1000,
  minHours: 24,
};
const open = (more: Partial<SafetyFacts>) =>
  checkSafety({ ...FACTS, ...more }).flatMap(({ check, passed }) => (passed ? [] : [check]));

describe('a policy in mode detect', () => {
  it('is safe to block if it detected only requests without credentials', () => {
    expect(open({})).toEqual([]);
  });

  it.each([
    [{ inspected: 999 }, ['requests']],
    [{ services: 0 }, ['attached']],
    [{ observedMs: 24 * 3_600_000 - 1 }, ['hours']],
    [{ dropped: 1 }, ['complete']],
    [{ requests: { ...requests, authenticated: 1 } }, ['credentials']],
    [{ requests: { ...requests, found: 3 } }, ['complete']],
    [{ requests: { ...requests, truncated: true } }, ['complete']],
    [{ requests: null, inspected: null }, ['requests', 'credentials', 'complete']],
  ] satisfies [Partial<SafetyFacts>, string[]][])('is not safe with %j', (more, checks) => {
    expect(open(more)).toEqual(checks);
  });
});
