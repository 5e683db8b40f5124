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
    page: {
      title: 'Try a request',
      lead: "What policies would make of a request, and why: told by the filter's own code. Nothing is sent.",
      policies: 'Policies',
      notAllowed: 'You may not try requests in this project',
    },
    trial: {
      deciders: 'Policies that decide',
      chooseDecider: 'Choose a service or a policy',
      wholeService: 'All policies of a service',
      onePolicy: 'One policy',
      noPolicy: 'There is no policy to try yet',
      whyNoPolicy: 'Without one every request is allowed.',
      createPolicy: 'Create a policy',
      emptyTitle: 'Whose policies shall decide?',
      empty: 'Choose a service to ask all its policies together, as its filters do, or one policy alone.',
    },
    serviceTrial: {
      what: 'The service',
    },
    policyTrial: {
      what: 'The policy',
      missing: 'There is no such policy in this project',
      chooseAnother: 'Choose another one.',
    },
  },
  trialPanel: {
    form: {
      title: 'Request to try',
      method: 'Method',
      url: 'URL',
      urlExample: 'https://api.example.com/orders?page=2',
      badUrl: 'Begin with https:// or http:// and the host, or with / for a path alone',
      headers: 'Headers',
      headersHint: 'One per line, such as X-Api-Key: … Sent to the controller for this trial, stored nowhere',
      badHeaders: (names: string | number) => `Line ${names}: a name, a colon and a value are needed`,
      body: 'Body',
      sourceAddress: 'Source address',
      sourceAddressHint: "The client's own, as the proxy knows it",
      try: 'Try it',
      nothingIsSent: 'Nothing is sent to any proxy.',
    },
    outcome: {
      emptyTitle: 'What would become of a request?',
      empty:
        "Method, URL and headers are enough: the filter's own code tells the verdict, which engine says what, and why.",
      policyRefused: 'The filter would refuse this policy, so it cannot be tried',
      atLine: (line: ReactNode) => <>Line {line} </>,
      failed: 'The request could not be tried',
      policyChanged: 'The policy has changed since: try again',
      policyChangedText: 'What is shown is of the policy as it was.',
      requestChanged: 'The request is not tried yet',
      requestChangedText: (request: ReactNode) => <>What is shown is of the one before: {request}</>,
      summary: (count: ReactNode) => <>What looks like a mistake in the policies ({count})</>,
      warning: (file: ReactNode, line: ReactNode, field: ReactNode, message: ReactNode) => (
        <>
          {file}, line {line}: {field} {message}
        </>
      ),
    },
    examples: {
      title: 'Examples',
    },
  },
  trialResult: {
    result: {
      blocked: (status: string | number) => `Blocked: the client gets ${status}`,
      allowed: 'Allowed',
      byDraft: 'By your draft, not by what is stored.',
      engines: 'Engines',
      noEngine: 'None looks at this request.',
      verdicts: 'Verdicts of the engines, in the order in which they decide',
      whichPolicy: 'Which policy',
      request: 'The request as the policy reads it',
      host: 'Host',
      path: 'Path',
      sourceAddress: 'Source address',
      body: 'Body',
      bytes: (count: string | number) => `${count} bytes. `,
      atMostBytes: (count: string | number) => ` At most ${count} bytes are read.`,
    },
    engine: {
      limiter: ({ rate, burst, by, value, sharedBy }: Limiter) => (
        <>
          {rate} per second, {burst} at once, counted by {by}
          {value}
          {sharedBy > 1 && `; ${sharedBy} places share the limit`}. Tried with a full bucket; nothing is taken from it.
        </>
      ),
      body: 'Body',
      subject: (name: ReactNode) => <>Subject {name}</>,
      byHeader: (header: string | number) => `the header ${header}`,
      byApiKey: 'the API key',
      headerMissing: ': not there, so together with all others that lack it',
      domainItself: 'the domain itself',
      looksAtBody: 'looks at the body',
      looksAtHeaders: 'looks at headers',
    },
    matched: {
      domainMatched: (host: ReactNode, entry: ReactNode, policyLink: ReactNode) => (
        <>
          {host} is covered by {entry} of {policyLink}.
        </>
      ),
      noDomain: (host: ReactNode) => <>No domain covers {host}: nothing guards the request.</>,
      noHost:
        'The request names no host, and no domain covers all of them (*): nothing guards it. The host stands in the URL, or in a header Host.',
      readings: 'Readings of the path',
      noRoute: "no route: the domain's own policy",
      fallsUnder: (route: ReactNode) => <>falls under {route}</>,
      readByEnvoy: ' (as Envoy reads it)',
      readByUpstream: ' (as a program behind may read it)',
      summary: 'What came near but did not match',
      domainMissed: (entry: ReactNode, policy: ReactNode, domainMissWords: ReactNode) => (
        <>
          {entry} of {policy} {domainMissWords}
        </>
      ),
    },
    answer: {
      title: 'The answer',
      whole: 'The answer that the client gets',
      statusLine: (status: string | number) => `HTTP ${status}`,
    },
    grants: {
      title: 'What the upstream gets',
      asSubject: (subject: ReactNode) => <>As {subject}. </>,
      withHeader: (header: ReactNode) => <>With {header}. </>,
      withoutHeaders: (headers: ReactNode) => <>Without {headers} from the client. </>,
      withoutQuery: (name: ReactNode) => <>Without the query parameter {name}.</>,
    },
  },
  trialWords: {
    engineLook: {
      notAsked: 'Not asked',
      notAskedWouldObject: 'Not asked, would object',
      whyNotAsked: 'An engine before it has answered the request already: in real life this one does not see it',
      waitsForBody: 'Waits for a body',
      whyWaitsForBody: 'The headers are fine; what it says depends on a body, and this request has none',
      allows: 'Allows',
      whyAllows: 'Nothing against it',
      detected: 'Detected',
      whyDetected: 'The policy is in mode detect: this is counted, and the request goes on',
      failedOpen: 'Failed, goes on',
      whyFailedOpen: 'The engine broke or ran out of time, and fail_open lets the request go on',
      blocks: 'Blocks',
      blocksWith: (status: string | number) => `Blocks with ${status}`,
      whyBlocks: 'This is the answer that the client gets',
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
