import type { ReactNode } from 'react';

interface Limiter {
  readonly rate: string;
  readonly burst: string;
  readonly by: string;
  /** Of what is counted by. */
  readonly value: ReactNode;
  readonly sharedBy: number;
}

export const trial = {
  trialPage: {
    askedService: 'The service of the link',
    trialPage: {
      title: 'Try a request',
      lead: "What policies would make of a request, and why: told by the filter's own code. Nothing is sent.",
      link: 'Policies',
      titleYouMay: 'You may not try requests in this project',
    },
    trial: {
      label: 'Policies that decide',
      placeholder: 'Choose a service or a policy',
      group: 'All policies of a service',
      groupOnePolicy: 'One policy',
      title: 'Whose policies shall decide?',
      empty: 'Choose a service to ask all its policies together, as its filters do, or one policy alone.',
    },
    serviceTrial: {
      what: 'The service',
    },
    policyTrial: {
      what: 'The policy',
      title: 'There is no such policy in this project',
      empty: 'Choose another one.',
    },
  },
  trialPanel: {
    trialPanel: {
      ariaLabel: 'Request to try',
      label: 'Method',
      labelUrl: 'URL',
      placeholder: 'https://api.example.com/orders?page=2',
      labelHeaders: 'Headers',
      description: 'One per line, such as X-Api-Key: … Sent to the controller for this trial, stored nowhere',
      error: (names: string | number) => `Line ${names}: a name, a colon and a value are needed`,
      labelBody: 'Body',
      labelSourceAddress: 'Source address',
      descriptionClientS: "The client's own, as the proxy knows it",
      button: 'Try it',
      text: 'Nothing is sent to any proxy.',
    },
    outcomeView: {
      title: 'What would become of a request?',
      empty:
        "Method, URL and headers are enough: the filter's own code tells the verdict, which engine says what, and why.",
      titleFilterWould: 'The filter would refuse this policy, so it cannot be tried',
      strong: (line: ReactNode) => <>Line {line} </>,
      what: 'The request could not be tried',
      titlePolicyChanged: 'The policy has changed since: try again',
      notice: 'What is shown is of the policy as it was.',
      summary: (count: ReactNode) => <>What looks like a mistake in the policies ({count})</>,
      item: (bdi: ReactNode, line: ReactNode, span: ReactNode, message: ReactNode) => (
        <>
          {bdi}, line {line}: {span} {message}
        </>
      ),
    },
    examples: {
      button: 'Examples',
    },
  },
  trialResult: {
    trialResult: {
      title: (status: string | number) => `Blocked: the client gets ${status}`,
      titleAllowed: 'Allowed',
      text: 'By your draft, not by what is stored.',
      titleEngines: 'Engines',
      textNoneLooks: 'None looks at this request.',
      ariaLabel: 'Verdicts of the engines, in the order in which they decide',
      titleWhichPolicy: 'Which policy',
      titleRequestPolicy: 'The request as the policy reads it',
      factHost: 'Host',
      factPath: 'Path',
      factSourceAddress: 'Source address',
      factBody: 'Body',
      textBytes: (count: string | number) => `${count} bytes. `,
      textAtMost: (count: string | number) => ` At most ${count} bytes are read.`,
    },
    engineVerdict: {
      limiter: ({ rate, burst, by, value, sharedBy }: Limiter) => (
        <>
          {rate} per second, {burst} at once, counted by {by}
          {value}
          {sharedBy > 1 && `; ${sharedBy} places share the limit`}. Tried with a full bucket; nothing is taken from it.
        </>
      ),
      textBody: 'Body',
      text: (bdi: ReactNode) => <>Subject {bdi}</>,
      textHeader: (header: string | number) => `the header ${header}`,
      textNotThere: ': not there, so together with all others that lack it',
      textDomainItself: 'the domain itself',
      textLooksAt: 'looks at the body',
      textLooksAtHeaders: 'looks at headers',
    },
    matched: {
      text: (bdi: ReactNode, bdi2: ReactNode, policyLink: ReactNode) => (
        <>
          {bdi} is covered by {bdi2} of {policyLink}.
        </>
      ),
      textNoDomain: (bdi: ReactNode) => <>No domain covers {bdi}: nothing guards the request.</>,
      textHost: 'this host',
      ariaLabel: 'Readings of the path',
      textNoRoute: "no route: the domain's own policy",
      textFallsUnder: (bdi: ReactNode) => <>falls under {bdi}</>,
      textEnvoyReads: ' (as Envoy reads it)',
      textProgramBehind: ' (as a program behind may read it)',
      summary: 'What came near but did not match',
      item: (bdi: ReactNode, bdi2: ReactNode, domainMissWords: ReactNode) => (
        <>
          {bdi} of {bdi2} {domainMissWords}
        </>
      ),
    },
    answer: {
      title: 'The answer',
      ariaLabel: 'The answer that the client gets',
      pre: (status: string | number) => `HTTP ${status}`,
    },
    grants: {
      title: 'What the upstream gets',
      text: (bdi: ReactNode) => <>As {bdi}. </>,
      textWith: (bdi: ReactNode) => <>With {bdi}. </>,
      textWithoutFrom: (span: ReactNode) => <>Without {span} from the client. </>,
      textWithoutQuery: (bdi: ReactNode) => <>Without the query parameter {bdi}.</>,
    },
  },
  trialWords: {
    engineLook: {
      wordNotAsked: 'Not asked',
      wordNotAskedWouldObject: 'Not asked, would object',
      why: 'An engine before it has answered the request already: in real life this one does not see it',
      word: 'Waits for a body',
      whyHeadersFine: 'The headers are fine; what it says depends on a body, and this request has none',
      wordAllows: 'Allows',
      whyNothingAgainst: 'Nothing against it',
      wordDetected: 'Detected',
      whyPolicyMode: 'The policy is in mode detect: this is counted, and the request goes on',
      wordFailedGoes: 'Failed, goes on',
      whyEngineBroke: 'The engine broke or ran out of time, and fail_open lets the request go on',
      wordBlocks: 'Blocks',
      wordBlocks2: (status: string | number) => `Blocks with ${status}`,
      whyAnswerClient: 'This is the answer that the client gets',
    },
    domainMisses: {
      lessSpecific: 'covers it, but another entry is exact or longer',
      bareSuffix: 'covers what is below it, not the name itself',
      otherHost: 'is another host',
    },
    routeMisses: {
      shorter: 'begins the path, but a longer prefix does, too',
      trailingSlash: 'would but for the slash at its end',
      notAPrefix: 'does not begin the path',
    },
    bodyWords: {
      none: 'The request has none.',
      notWanted: 'No engine asks for it: it is not read.',
      blockedBefore: 'Not read: the headers settled the request.',
      read: 'Read by the engines that ask for it.',
      tooLarge: 'Longer than what is read, which is a finding of its own.',
      undecodable: 'It cannot be decoded, which is a finding of its own.',
    },
    addressWords: {
      given: 'as given',
      xForwardedFor: 'from x-forwarded-for, behind the trusted proxies',
      peer: 'of the connection',
      unknown: 'not known: limits by address count it with all others that have none',
    },
  },
};
