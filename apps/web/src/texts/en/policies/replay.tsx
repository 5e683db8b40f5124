import type { ReactNode } from 'react';

export const replay = {
  replayResult: {
    views: {
      labelByRoute: 'Route',
      labelByEngine: 'Engine',
      labelByReason: 'Reason',
      labelByClient: 'Client',
      labelByHost: 'Host',
    },
    replayResult: {
      heading: 'What the records do not tell',
      summary: 'Lines that could not be read',
      item: (line: ReactNode, why: ReactNode) => (
        <>
          Line {line}: {why}
        </>
      ),
    },
    groups: {
      heading: 'Changes by',
      ariaLabel: 'Changes',
      th: 'Requests',
      text: (count: ReactNode) => <>and {count} changes in others</>,
    },
    samples: {
      heading: 'Some of them',
      text: (sourceIp: string | number) => `, from ${sourceIp}`,
      textFarRecord: ', as far as the record tells',
      ariaLabel: (method: string | number, host: string | number, path: string | number) =>
        `Try ${method} ${host}${path}`,
      button: 'Try',
    },
  },
  replaySection: {
    hours: {
      label1: 'the last hour',
      label24: 'the last 24 hours',
      label168: 'the last 7 days',
    },
    replaySection: {
      ariaLabel: 'Replay',
      heading: 'What would it have made of requests so far?',
      button: 'Replay what was recorded in',
      ariaLabelRecorded: 'Recorded in',
      text: 'or',
      buttonReplayFile: 'Replay a file',
      textFiltersRecord:
        'Filters record what they block and detect, without headers and bodies: that shows what a looser policy would let through. For what a stricter one would block, drop an access log of Envoy, a HAR or JSON lines here.',
      what: 'Nothing could be replayed',
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
      textUnderStored: 'under the stored policy',
      textAnsweredThen: 'as it was answered then',
      textNoRequest: 'No request could be read.',
      textThereNo: 'There is no request in what was given.',
      text: (count: string | number, than: string | number) =>
        `None of ${count} would be decided otherwise than ${than}.`,
      textWouldBe: (count: string | number, count2: string | number, than: string | number) =>
        `${count} of ${count2} would be decided otherwise than ${than}.`,
    },
    findGaps: {
      text: (engine: string | number, what: string | number, count: string | number, part: string | number) =>
        `${engine} asks for ${what}, which ${count} ${part} not carry.`,
      textBlockedStill: ', or as blocked still where the record says so',
      textCountedAllowed: (count: string | number, part: string | number, kept: string | number) =>
        `${count} ${part} on that: counted as allowed by that engine${kept}.`,
      textWithoutStatus: (count: string | number) => `${count} without a status: counted as allowed then.`,
      textWithoutTime: (count: string | number) => `${count} without a time: rate limits cannot be judged by them.`,
      textCameToo: (count: string | number) => `${count} came too late to be put in order.`,
      textCouldNot: (count: string | number) => `${count} could not be read.`,
    },
  },
};
