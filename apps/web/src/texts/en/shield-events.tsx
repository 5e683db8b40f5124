import type { ReactNode } from 'react';

export const shieldEvents = {
  eventColumns: {
    time: 'Time',
    verdict: 'Verdict',
    request: 'Request',
    reason: 'Reason',
    policy: 'Policy',
    from: 'From',
    subject: 'Subject',
    service: 'Service',
    client: 'Client',
    engine: 'Engine',
    route: 'Route',
    severity: 'Severity',
    detail: 'Detail',
    requestId: 'Request id',
  },
  eventDrawer: {
    drawer: {
      event: 'Event',
      above: (key: ReactNode) => <>Event above {key}</>,
      below: (key: ReactNode) => <>Event below {key}</>,
      notListed: 'This event is not in the list',
      whyNotListed: 'The filters or the time leave it out, or it is older than what is kept.',
    },
    details: {
      verdict: 'Verdict',
      time: 'Time',
      request: 'Request',
      reason: 'Reason',
      answeredWith: (word: ReactNode, status: ReactNode) => (
        <>
          {word}, answered with {status}
        </>
      ),
      measured: 'Measured',
      policy: 'Policy',
      routeAndEngine: (route: ReactNode, engine: ReactNode) => (
        <>
          {route}, engine {engine}
        </>
      ),
      domainItself: 'the domain itself',
      sourceAddress: 'Source address',
      notKnown: 'not known',
      subject: 'Subject',
      noSubject: 'none proven',
      service: 'Service',
      client: 'Client',
      requestId: 'Request id',
      requestIdName: 'request id',
      policyDigest: 'Digest of the policies',
      notRecorded: 'Headers, query and body are not recorded.',
      tryRequest: 'Try this request',
      showRule: 'Show the rule',
      allFromAddress: 'All from this address',
      allLikeThis: 'All like this',
    },
  },
  eventFilters: {
    labels: {
      verdict: 'Verdict',
      engine: 'Engine',
      reason: 'Reason',
      severity: 'Severity',
      policy: 'Policy',
      route: 'Route',
      service: 'Service',
      client: 'Client',
      host: 'Host',
      pathPrefix: 'Path begins with',
      subject: 'Subject',
      sourceIp: 'Source address or network',
      requestId: 'Request id',
      from: 'From',
      before: 'Before',
    },
    toOptions: {
      ofDomain: "the domain's own",
    },
  },
  eventLook: {
    whyDetected: (status: number, about: string) => `Let through; mode block would answer ${status}${about}`,
    whyFailed: (about: string) => `The engine broke or ran out of time; fail_open let the request go on${about}`,
    blocked: (status: string | number) => `Blocked ${status}`,
    whyBlocked: (status: string | number, about: string | number) => `Turned away with ${status}${about}`,
    detected: 'Detected',
    failed: 'Engine failed',
  },
  eventRange: {
    quarter: '15 min',
  },
  eventsPage: {
    page: {
      title: 'Filter events',
      lead: 'Which requests the filters blocked, and what policies in mode detect would have blocked.',
      tryRequest: 'Try a request',
      notAllowed: 'You may not see events in this project',
    },
    list: {
      what: 'The counts',
      name: 'events',
      searches: 'Host, path, subject, reason, policy, request id',
      showNew: (waiting: ReactNode) => <>{waiting} new</>,
      emptyTitle: 'Nothing was blocked or detected in this time',
      showPolicies: 'Show the policies',
      showWeek: 'Show the last 7 days',
      empty:
        'Whatever an engine has against a request stands here within seconds: who, where, why. Allowed requests are counted, not listed.',
      howLongKept:
        "Kept for 7 days. Under a flood filters record a part of what they block; the counts of a policy's traffic are complete.",
    },
    ranges: {
      title: 'Time range',
    },
  },
  reasonWords: {
    apikeyMissing: 'no key was sent',
    apikeyUnknown: 'the key is not a known one',
    apikeyExpired: 'the key is not taken at this time',
    apikeyScope: 'the key lacks the scope that the path needs',
    jwtMissing: 'no token was sent',
    jwtInvalid: 'the token does not hold: signature, time, issuer or audience',
    jwtMissingClaim: 'the token lacks a claim that is required',
    ratelimitExceeded: 'more requests than the limit',
    graphqlBatch: 'more queries in one request than allowed',
    graphqlParseError: 'the query cannot be read, or is too large to be',
    graphqlOperations: 'more operations than allowed',
    graphqlComplexity: 'the query asks for more than the budget',
    graphqlFragmentDepth: 'fragments are spread too deep',
    graphqlRootFields: 'more root fields than allowed',
    graphqlDepth: 'the query is nested too deep',
    graphqlAliases: 'more aliases than allowed',
    graphqlTotalFields: 'more fields than allowed',
    graphqlIntrospection: 'the query asks for the schema',
    bodyTooLarge: 'the body is longer than what is read',
    bodyUndecodable: 'the body cannot be decoded',
    engineError: 'the engine failed inside',
    engineTimeout: 'the time for the request was used up',
  },
  summaryStrip: {
    verdicts: {
      blocked: 'Blocked',
      detected: 'Detected',
      failed: 'Engine failed',
    },
    groups: {
      reasons: 'Reasons',
      addresses: 'Addresses',
      hosts: 'Hosts',
      policies: 'Policies',
    },
    strip: {
      title: 'Counts',
      verdicts: 'Verdicts',
      notListed: 'Not listed',
      notListedHint: 'Filters tell a bounded number of findings a second; the counters are complete.',
      more: (count: ReactNode) => <>{count} more</>,
      none: 'none',
    },
  },
};
