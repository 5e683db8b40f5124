import type { ReactNode } from 'react';

export const replay = {
  replayResult: {
    views: {
      route: 'Route',
      engine: 'Engine',
      reason: 'Reason',
      client: 'Client',
      host: 'Host',
    },
    result: {
      gaps: 'What the records do not tell',
      summary: 'Lines that could not be read',
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
      others: (count: ReactNode) => <>and {count} changes in others</>,
    },
    samples: {
      title: 'Some of them',
      from: (sourceIp: string | number) => `, from ${sourceIp}`,
      undetermined: ', as far as the record tells',
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
      question: 'What would it have made of requests so far?',
      replayRecorded: 'Replay what was recorded in',
      recordedIn: 'Recorded in',
      or: 'or',
      replayFile: 'Replay a file',
      whatIsRecorded:
        'Filters record what they block and detect, without headers and bodies: that shows what a looser policy would let through. For what a stricter one would block, drop an access log of Envoy, a HAR or JSON lines here.',
      failed: 'Nothing could be replayed',
    },
  },
  replayWords: {
    flipWords: {
      allowToBlock: 'Newly blocked',
      blockToAllow: 'No longer blocked',
      otherReason: 'Blocked for another reason',
      detectionChanged: 'Detected otherwise',
    },
    headline: {
      underStored: 'under the stored policy',
      answeredThen: 'as it was answered then',
      noneRead: 'No request could be read: what can be is an access log of Envoy, a HAR or JSON lines.',
      noneGiven: 'There is no request in what was given.',
      noFlips: (count: string | number, than: string | number) =>
        `None of ${count} would be decided otherwise than ${than}.`,
      flips: (flips: string | number, requests: string | number, than: string | number) =>
        `${flips} of ${requests} would be decided otherwise than ${than}.`,
    },
    gaps: {
      undetermined: (engine: string | number, what: string | number, count: string | number, part: string | number) =>
        `${engine} asks for ${what}, which ${count} ${part} not carry.`,
      blockedStill: ', or as blocked still where the record says so',
      countedAllowed: (count: string | number, part: string | number, kept: string | number) =>
        `${count} ${part} on that: counted as allowed by that engine${kept}.`,
      withoutStatus: (count: string | number) => `${count} without a status: counted as allowed then.`,
      withoutTime: (count: string | number) => `${count} without a time: rate limits cannot be judged by them.`,
      outOfOrder: (count: string | number) => `${count} came too late to be put in order.`,
      unreadable: (count: string | number) => `${count} could not be read.`,
    },
  },
};
