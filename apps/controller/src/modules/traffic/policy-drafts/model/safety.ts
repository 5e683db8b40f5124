import type { PolicyDetections } from '@flotilla/contract';

export const SAFE_REQUESTS_DEFAULT = 1_000;
export const SAFE_HOURS_DEFAULT = 24;
const HOUR_MS = 3_600_000;

export interface SafetyFacts {
  readonly inspected: number | null;
  readonly services: number;
  readonly dropped: number;
  /** The part of the window since the policy last changed. */
  readonly observedMs: number;
  readonly requests: PolicyDetections['requests'];
  readonly detected: number;
  readonly minRequests: number;
  readonly minHours: number;
}

/**
 * A policy is safe to block if its filters decided enough requests for long enough since its last change, if it detected no request with
 * credentials, and if all of that is known: no finding was dropped, and the event store has the requests. Requests without
 * credentials that succeeded are no criterion: they are what a policy is often made for. The answer counts them for the person who decides.
 */
export function checkSafety(facts: SafetyFacts): PolicyDetections['checks'] {
  const { inspected, services, dropped, observedMs, requests, detected } = facts;
  const isComplete = requests !== null && !requests.truncated && requests.found === requests.findings;
  const unknown = requests === null ? null : requests.findings - requests.found;
  const hours = Math.floor(observedMs / HOUR_MS);
  return [
    { check: 'attached', passed: services > 0, needed: 1, found: services },
    {
      check: 'requests',
      passed: inspected !== null && inspected >= facts.minRequests,
      needed: facts.minRequests,
      found: inspected,
    },
    { check: 'hours', passed: hours >= facts.minHours, needed: facts.minHours, found: hours },
    { check: 'credentials', passed: requests?.authenticated === 0, needed: 0, found: requests?.authenticated ?? null },
    {
      check: 'complete',
      passed: dropped === 0 && (isComplete || detected === 0),
      needed: 0,
      found: unknown === null ? null : unknown + dropped,
    },
  ];
}
