import type { ReactNode } from 'react';

export const texts = {
  replayResult: {
    views: {
      route: 'Route',
      engine: 'Engine',
      reason: 'Reason',
      client: 'Client',
      host: 'Host',
    },
    result: {
      gaps: 'Missing from the records',
      summary: 'Lines that could not be parsed',
      lineWhy: (line: ReactNode, why: ReactNode) => (
        <>
          Line {line}: {why}
        </>
      ),
    },
    groups: {
      changesBy: 'Changes by',
      changes: 'Changes',
      requests: 'Requests',
      others: (changes: ReactNode) => <>and {changes} changes in others</>,
    },
    samples: {
      title: 'Samples',
      from: (sourceIp: string | number) => `, from ${sourceIp}`,
      undetermined: ', as far as the record shows',
      tryOne: (method: string | number, host: string | number, path: string | number) => `Try ${method} ${host}${path}`,
      try: 'Try',
    },
  },
  replaySection: {
    hours: {
      hour: 'the last hour',
      day: 'the last 24 hours',
      week: 'the last 7 days',
    },
    section: {
      title: 'Replay',
      question: 'See how it would have handled past requests',
      replayRecorded: 'Replay records of',
      recordedIn: 'Time range',
      or: 'or',
      replayFile: 'Replay a file',
      whatIsRecorded:
        'Filters record blocked and detected requests, without headers and bodies. They show what a looser policy would allow. To see what a stricter one would block, drop an Envoy access log, a HAR file or JSON lines here.',
      failed: 'The replay failed',
    },
  },
  replayWords: {
    flipWords: {
      allowToBlock: 'Newly blocked',
      blockToAllow: 'No longer blocked',
      otherReason: 'Blocked for another reason',
      detectionChanged: 'Detected differently',
    },
    headline: {
      underStored: 'the saved policy',
      answeredThen: 'the original answers',
      noneRead: 'No request could be parsed. Supported formats: Envoy access log, HAR, JSON lines.',
      noneGiven: 'The input contains no requests.',
      noFlips: (count: string | number, than: string | number) =>
        `None of ${count} would get a different verdict from ${than}.`,
      flips: (flips: string | number, requests: string | number, than: string | number) =>
        `${flips} of ${requests} would get a different verdict from ${than}.`,
    },
    gaps: {
      undetermined: (engine: string | number, what: string | number, count: string | number, part: string | number) =>
        `${engine} needs ${what}, which ${count} ${part} not contain.`,
      blockedStill: ', or as still blocked if the record says so',
      countedAllowed: (count: string | number, part: string | number, kept: string | number) =>
        `${count} ${part} on it: counted as allowed by that engine${kept}.`,
      withoutStatus: (count: string | number) => `${count} without a status: counted as originally allowed.`,
      withoutTime: (count: string | number) => `${count} without a time: rate limits cannot be evaluated for them.`,
      outOfOrder: (count: string | number) => `${count} too far out of order to be sorted.`,
      unreadable: (count: string | number) => `${count} could not be parsed.`,
    },
  },
};
