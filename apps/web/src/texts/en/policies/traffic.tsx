import type { ReactNode } from 'react';

export const traffic = {
  ranges: {
    hour: {
      inWords: 'the last hour',
    },
    trafficRanges: {
      quarter: '15 min',
      quarterInWords: 'the last 15 minutes',
      dayInWords: 'the last 24 hours',
      weekInWords: 'the last 7 days',
    },
    stepWords: {
      perMinute: 'per minute',
      perHour: 'per hour',
      perHours: (count: string | number) => `per ${count} hours`,
      perMinutes: (minutes: string | number) => `per ${minutes} minutes`,
    },
  },
  trafficChart: {
    lines: {
      blocked: 'Blocked',
      detected: 'Detected',
      allowed: 'Allowed',
    },
    totals: {
      blocked: (count: ReactNode) => <>{count} blocked</>,
      detected: (count: ReactNode) => <>{count} detected</>,
      allowed: (count: ReactNode) => <>{count} allowed</>,
      engineFailed: (count: ReactNode) => <>{count} times an engine failed</>,
    },
  },
  trafficTab: {
    tab: {
      range: 'Time range',
      lastCount: (time: ReactNode) => <>Last count {time}</>,
      refreshFailed: 'The counts could not be refreshed',
      asOf: (exact: string | number) => `What is shown is as of ${exact}.`,
      what: 'The counts',
      emptyTitle: (words: string | number) => `No request was counted in ${words}`,
      empty:
        'Either none came to the hosts of this policy, or no node that runs it has reported. Counts arrive some ten seconds after the requests.',
      decided: 'Requests that the policy decided',
      howCounted: (stepWords: ReactNode) => (
        <>
          Counted {stepWords}, in the minute in which the controller heard of them; the last one is still being counted.
          A step at zero means that nothing was reported: no requests, or a client that was away, whose counts then
          stand at its return.
        </>
      ),
      objections: 'What engines objected to',
      eventsLink: 'Each of these requests',
    },
    reasons: {
      none: 'Nothing: every request was let through.',
      table: 'Counts by engine and reason',
      engine: 'Engine',
      reason: 'Reason',
      blocked: 'Blocked',
      detected: 'Detected',
      failed: 'Failed',
    },
  },
};
