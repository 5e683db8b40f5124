import type { ReactNode } from 'react';

export const texts = {
  engineWords: {
    describeEngine: {
      unknown: 'Unknown engine.',
    },
    describeApiKey: {
      andMore: (rest: string | number) => ` and ${rest} more`,
      needsKey: (places: string | number) => `Requires a valid key in the ${places}.`,
      scopeBelow: (path: string | number, scope: string | number) =>
        `${path} and everything below it require the scope ${scope}.`,
      scopeForPrefix: (prefix: string | number, scope: string | number) =>
        `Paths that begin with ${prefix} require the scope ${scope}.`,
    },
    describeKey: {
      methods: (methods: string | number) => `${methods} only`,
      rate: (rate: string | number) => `${rate} per second`,
    },
    describeSource: {
      queryParameter: 'query parameter',
    },
    describeExtras: {
      credentialHidden: (what: string | number) => `The upstream does not see the ${what}.`,
      subjectTold: (header: string | number) => `The upstream gets the subject in ${header}.`,
    },
    describeJwt: {
      needsToken: (header: string | number, algorithms: string | number, file: string | number) =>
        `Requires a token in the header ${header}, signed with ${algorithms}, verified by ${file}.`,
      noFile: 'no file yet',
      issuer: (issuer: string | number) => `Issued by ${issuer}.`,
      audience: (audience: string | number) => `Audience ${audience}.`,
      claims: (names: string | number) => `With the claims ${names}.`,
      maxAge: (age: string | number) => `At most ${age} old.`,
      type: (type: string | number) => `Type ${type}.`,
      claimBelow: (path: string | number, claim: string | number, texts: string | number) =>
        `${path} and everything below it require ${texts} in ${claim}.`,
      claimForPrefix: (prefix: string | number, claim: string | number, texts: string | number) =>
        `Paths that begin with ${prefix} require ${texts} in ${claim}.`,
    },
    graphqlLimits: {
      rootFields: 'root fields',
    },
    describeGraphql: {
      anyShape: 'Queries of any shape.',
      atMost: (names: string | number) => `Queries with at most ${names}.`,
      costsAtMost: (cost: string | number) => `Cost at most ${cost}.`,
      noIntrospection: 'No introspection.',
      noIncremental: 'No @defer and no @stream.',
      trustedAlone: (file: string | number) => `Only the documents in ${file}.`,
      onlyBelow: (names: string | number) => `Only below ${names}.`,
      anyMethod: 'With every method.',
      noUpgrades: 'No WebSockets.',
      upgradesMeant: 'WebSockets are allowed.',
    },
    describeMethods: (methods: string) => `Only these methods: ${methods}.`,
    describeRateLimit: {
      headerValue: (header: string | number) => `value of the header ${header}`,
      clientAddress: 'client address',
      rate: (requests: string | number, noun: string | number, by: string | number, burst: string | number) =>
        `${requests} ${noun} per second for each ${by}, up to ${burst} at once.`,
      sharedByFleet: 'Divided evenly over all proxies that hold the policy.',
    },
  },
  structureTab: {
    tab: {
      isDraft: 'This is your draft, not the saved policy.',
      unreadable: 'Syntax error in the text',
      lineLink: (line: ReactNode) => <>Line {line}</>,
      structureBefore: 'Below is the last valid structure.',
    },
    tree: {
      lineLink: 'Defaults',
      failsOpen: 'an engine that fails internally allows the request (fail_open).',
      failsClosed: 'an engine that fails internally blocks the request (fail_close).',
      emptyTitle: 'No domains yet',
      empty: 'Every request is allowed. Add a domain with hosts to the text.',
      domains: 'Domains',
      noHost: 'no host',
      everyOtherPath: 'every other path',
      everyPath: 'every path',
      uncoveredAllowed:
        'Requests to hosts that no domain covers are allowed. The longest path prefix wins, for all methods.',
    },
    engines: {
      none: 'allowed: no engine checks it',
      switchedOff: 'switched off here',
      inherited: 'from the domain. ',
    },
    mode: {
      blocks: 'Blocks',
      whyBlocks: 'Requests that fail a check are rejected',
      detects: 'Detects',
      whyDetects: 'Requests that would be blocked are counted and allowed',
      unknown: (stateShape: ReactNode, mode: ReactNode) => (
        <>
          {stateShape} unknown mode {mode}
        </>
      ),
    },
    modeWords: {
      block: 'blocks requests that fail',
      detect: 'counts and allows requests that fail (detect)',
      other: (mode: string | number) => `mode ${mode}`,
    },
    lineLink: {
      toLine: (line: string | number) => `Line ${line} of the text`,
    },
  },
  structure: {
    notPolicy: 'This is not a policy document.',
  },
};
