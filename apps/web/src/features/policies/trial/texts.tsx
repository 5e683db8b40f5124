import type { ReactNode } from 'react';
import { count } from '../../../ui/count.ts';

interface Limiter {
  readonly rate: string;
  readonly burst: string;
  readonly by: string;
  /** The value of the key that the limiter counts by. */
  readonly value: ReactNode;
  readonly sharedBy: number;
}

export const texts = {
  trialPage: {
    askedService: 'The service of the link',
    page: {
      title: 'Try a request',
      lead: "See how policies would handle a request, and why. The verdict comes from the filter's own code. Nothing is sent to a proxy.",
      policies: 'Policies',
      notAllowed: 'You have no permission to try requests in this project',
    },
    trial: {
      deciders: 'Policies to use',
      chooseDecider: 'Choose a service or a policy',
      wholeService: 'All policies of a service',
      onePolicy: 'One policy',
      noPolicy: 'No policies yet',
      whyNoPolicy: 'Without a policy, every request is allowed.',
      createPolicy: 'Create a policy',
      emptyTitle: 'Choose a service or a policy',
      empty: 'A service applies all its policies together, as its filters do. Or try a single policy.',
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
      badUrl: 'Start with https:// or http:// and the host, or with / for only a path',
      headers: 'Headers',
      headersHint: 'One per line, for example X-Api-Key: … Sent to the controller for this trial, not stored',
      badHeaders: (names: string | number) => `Line ${names}: enter a name, a colon and a value`,
      body: 'Body',
      sourceAddress: 'Source address',
      sourceAddressHint: 'The address of the client, as the proxy sees it',
      try: 'Try it',
      nothingIsSent: 'Nothing is sent to any proxy.',
    },
    outcome: {
      emptyTitle: 'See how a request would be handled',
      empty: 'Enter a method, URL and headers. You get the verdict, the result of each engine, and the reason.',
      policyRefused: 'The policy is invalid and cannot be tried',
      atLine: (line: ReactNode) => <>Line {line} </>,
      failed: 'The request could not be tried',
      policyChanged: 'The policy has changed: try again',
      policyChangedText: 'The result below is from the previous version of the policy.',
      requestChanged: 'The request has changed: try again',
      requestChangedText: (request: ReactNode) => <>The result below is from the previous request: {request}</>,
      summary: (warnings: ReactNode) => <>Possible mistakes in the policies ({warnings})</>,
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
      byDraft: 'By your draft, not the saved policy.',
      engines: 'Engines',
      noEngine: 'No engine checks this request.',
      verdicts: 'Verdicts of the engines, in the order in which they decide',
      whichPolicy: 'Matching policy',
      request: 'The request as the policy reads it',
      host: 'Host',
      path: 'Path',
      sourceAddress: 'Source address',
      body: 'Body',
      bytes: (bytes: string | number) => `${bytes} bytes. `,
      atMostBytes: (bytes: string | number) => ` At most ${bytes} bytes are read.`,
    },
    engine: {
      limiter: ({ rate, burst, by, value, sharedBy }: Limiter) => (
        <>
          {rate} per second, {burst} at once, counted by {by}
          {value}
          {sharedBy > 1 && `; limit shared by ${count(sharedBy, 'rule')}`}. Tried with a full bucket, which is not
          consumed.
        </>
      ),
      body: 'Body',
      subject: (name: ReactNode) => <>Subject {name}</>,
      byHeader: (header: string | number) => `the header ${header}`,
      byApiKey: 'the API key',
      headerMissing: ': missing, so counted with all other requests without it',
      domainItself: 'host rule',
      looksAtBody: 'checks the body',
      looksAtHeaders: 'checks headers',
    },
    matched: {
      domainMatched: (host: ReactNode, entry: ReactNode, policyLink: ReactNode) => (
        <>
          {host} is covered by {entry} of {policyLink}.
        </>
      ),
      noDomain: (host: ReactNode) => <>No domain covers {host}: the request is not checked.</>,
      noHost:
        'The request has no host, and no domain covers all hosts (*), so it is not checked. Add the host to the URL or as a Host header.',
      readings: 'Interpretations of the path',
      noRoute: 'no route: the policy of the domain applies',
      fallsUnder: (route: ReactNode) => <>matches {route}</>,
      readByEnvoy: ' (as Envoy reads it)',
      readByUpstream: ' (as an upstream may read it)',
      summary: 'Near misses',
      domainMissed: (entry: ReactNode, policy: ReactNode, domainMissWords: ReactNode) => (
        <>
          {entry} of {policy} {domainMissWords}
        </>
      ),
    },
    answer: {
      title: 'Response',
      whole: 'The response to the client',
      statusLine: (status: string | number) => `HTTP ${status}`,
    },
    grants: {
      title: 'Changes for the upstream',
      asSubject: (subject: ReactNode) => <>As {subject}. </>,
      withHeader: (header: ReactNode) => <>With {header}. </>,
      withoutHeaders: (headers: ReactNode) => <>Without {headers} from the client. </>,
      withoutQuery: (name: ReactNode) => <>Without the query parameter {name}.</>,
    },
  },
  trialWords: {
    engineLook: {
      notAsked: 'Not reached',
      notAskedWouldObject: 'Not reached, would block',
      whyNotAsked: 'An earlier engine already answered the request, so this one would not see it',
      waitsForBody: 'Waits for a body',
      whyWaitsForBody: 'The headers pass. The verdict depends on a body, which this request does not have',
      allows: 'Allows',
      whyAllows: 'No objection',
      detected: 'Detected',
      whyDetected: 'The policy is in mode detect: the request is counted and allowed',
      failedOpen: 'Failed, allowed',
      whyFailedOpen: 'The engine failed or timed out, and fail_open allows the request',
      blocks: 'Blocks',
      blocksWith: (status: string | number) => `Blocks with ${status}`,
      whyBlocks: 'This is the response to the client',
    },
    domainMisses: {
      lessSpecific: 'covers it, but another entry is exact or longer',
      bareSuffix: 'covers subdomains, not the name itself',
      otherHost: 'is another host',
    },
    routeMisses: {
      shorter: 'matches the path, but a longer prefix does, too',
      trailingSlash: 'would match without its trailing slash',
      notAPrefix: 'is not a prefix of the path',
    },
    bodyWords: {
      none: 'The request has no body.',
      notWanted: 'Not read: no engine needs it.',
      blockedBefore: 'Not read: the headers already decided the request.',
      read: 'Read by the engines that need it.',
      tooLarge: 'Exceeds the size limit, which is reported as an event.',
      undecodable: 'Cannot be decoded, which is reported as an event.',
    },
    addressWords: {
      given: 'as given',
      xForwardedFor: 'from x-forwarded-for, behind the trusted proxies',
      peer: 'of the connection',
      unknown: 'unknown: counted with all other requests without an address',
    },
  },
};
