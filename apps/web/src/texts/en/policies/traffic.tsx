import type { ReactNode } from 'react';

export const traffic = {
  ranges: {
    hour: {
      words1h: 'the last hour',
    },
    trafficRanges: {
      label15m: '15 min',
      words15m: 'the last 15 minutes',
      words24h: 'the last 24 hours',
      words7d: 'the last 7 days',
    },
    stepWords: {
      textPerMinute: 'per minute',
      textPerHour: 'per hour',
      text: (part: string | number) => `per ${part} hours`,
      textPerMinutes: (minutes: string | number) => `per ${minutes} minutes`,
    },
  },
  trafficChart: {
    trafficChart: {
      labelBlocked: 'Blocked',
      labelDetected: 'Detected',
      labelAllowed: 'Allowed',
    },
    totals: {
      text: (strong: ReactNode) => <>{strong} blocked</>,
      textDetected: (strong: ReactNode) => <>{strong} detected</>,
      textAllowed: (strong: ReactNode) => <>{strong} allowed</>,
      textTimesEngine: (strong: ReactNode) => <>{strong} times an engine failed</>,
    },
  },
  trafficTab: {
    trafficTab: {
      ariaLabel: 'Time range',
      text: (time: ReactNode) => <>Last count {time}</>,
      what: 'The counts could not be refreshed',
      still: (exact: string | number) => `What is shown is as of ${exact}.`,
      whatCounts: 'The counts',
      title: (words: string | number) => `No request was counted in ${words}`,
      empty:
        'Either none came to the hosts of this policy, or no node that runs it has reported. Counts arrive some ten seconds after the requests.',
      titleRequestsPolicy: 'Requests that the policy decided',
      textCountedMinute: (stepWords: ReactNode) => (
        <>
          Counted {stepWords}, in the minute in which the controller heard of them; the last one is still being counted.
          A step at zero means that nothing was reported: no requests, or a client that was away, whose counts then
          stand at its return.
        </>
      ),
      titleEnginesObjected: 'What engines objected to',
      eventsLink: 'Each of these requests',
    },
    reasons: {
      text: 'Nothing: every request was let through.',
      ariaLabel: 'Counts by engine and reason',
      th: 'Engine',
      thReason: 'Reason',
      thBlocked: 'Blocked',
      thDetected: 'Detected',
      thFailed: 'Failed',
    },
  },
};
