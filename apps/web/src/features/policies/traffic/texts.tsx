import type { ReactNode } from 'react';

export const texts = {
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
      perHours: (hours: string | number) => `per ${hours} hours`,
      perMinutes: (minutes: string | number) => `per ${minutes} minutes`,
    },
  },
  trafficChart: {
    lines: {
      blocked: 'Blocked',
      detected: 'Detected',
      allowed: 'Allowed',
    },
    unplaced: {
      dropped: (requests: string) =>
        `Missing requests: ${requests}. A client was disconnected for longer than the 60 minutes that filters keep.`,
      clockOff: (requests: string) =>
        `Requests shown in the minute of their report: ${requests}. The clock of their host is wrong.`,
    },
    totals: {
      blocked: (requests: ReactNode) => <>{requests} blocked</>,
      detected: (requests: ReactNode) => <>{requests} detected</>,
      allowed: (requests: ReactNode) => <>{requests} allowed</>,
      engineFailed: (requests: ReactNode) => <>engine failures: {requests}</>,
    },
  },
  trafficTab: {
    tab: {
      range: 'Time range',
      lastCount: (time: ReactNode) => <>Last count {time}</>,
      refreshFailed: 'The counts could not be refreshed',
      asOf: (exact: string | number) => `What is shown is as of ${exact}.`,
      what: 'The counts',
      emptyTitle: (words: string | number) => `No requests in ${words}`,
      empty:
        'There were no requests to the hosts of this policy, or no node that runs it has reported. Counts arrive about ten seconds after the requests.',
      decided: 'Requests by policy verdict',
      howCounted: (stepWords: ReactNode) => (
        <>
          Counted {stepWords}, in the minute of the request according to the clock of its host. The dashed part is
          incomplete. A gap means that no filter reported because its client was disconnected, or all of them if several
          clients run the policy. The counts are filled in when they reconnect.
        </>
      ),
      objections: 'Blocked by engine',
      eventsLink: 'Show these requests',
    },
    reasons: {
      none: 'None: every request was allowed.',
      table: 'Counts by engine and reason',
      engine: 'Engine',
      reason: 'Reason',
      blocked: 'Blocked',
      detected: 'Detected',
      failed: 'Failed',
    },
  },
};
