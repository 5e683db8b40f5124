import type { ReactNode } from 'react';

export const structure = {
  engineWords: {
    describeEngine: {
      unknown: 'There is no such engine.',
    },
    describeApiKey: {
      andMore: (rest: string | number) => ` and ${rest} more`,
      needsKey: (places: string | number) => `Needs a known key in the ${places}.`,
      scopeBelow: (path: string | number, scope: string | number) =>
        `${path} and what is below it need the scope ${scope}.`,
      scopeForPrefix: (prefix: string | number, scope: string | number) =>
        `Paths that begin with ${prefix} need the scope ${scope}.`,
    },
    describeKey: {
      methods: (methods: string | number) => `${methods} alone`,
      rate: (rate: string | number) => `${rate} per second`,
    },
    describeSource: {
      queryParameter: 'query parameter',
    },
    describeExtras: {
      credentialHidden: (what: string | number) => `The upstream does not see the ${what}.`,
      subjectTold: (header: string | number) => `The upstream is told the subject in ${header}.`,
    },
    describeJwt: {
      needsToken: (header: string | number, algorithms: string | number, file: string | number) =>
        `Needs a token in the header ${header}, signed with ${algorithms}, verified by ${file}.`,
      noFile: 'no file yet',
      issuer: (issuer: string | number) => `Issued by ${issuer}.`,
      audience: (audience: string | number) => `Meant for ${audience}.`,
      claims: (names: string | number) => `With the claims ${names}.`,
      maxAge: (age: string | number) => `Issued no longer than ${age} ago.`,
      type: (type: string | number) => `Of the type ${type}.`,
      claimBelow: (path: string | number, claim: string | number, texts: string | number) =>
        `${path} and what is below it need ${texts} in ${claim}.`,
      claimForPrefix: (prefix: string | number, claim: string | number, texts: string | number) =>
        `Paths that begin with ${prefix} need ${texts} in ${claim}.`,
    },
    graphqlLimits: {
      rootFields: 'root fields',
    },
    describeGraphql: {
      anyShape: 'Queries of any shape.',
      atMost: (names: string | number) => `Queries of at most ${names}.`,
      costsAtMost: (cost: string | number) => `That cost ${cost} at most.`,
      noIntrospection: 'No introspection.',
      noIncremental: 'No @defer and no @stream.',
      trustedAlone: (file: string | number) => `Of the documents in ${file} alone.`,
      onlyBelow: (names: string | number) => `Below ${names} alone.`,
      anyMethod: 'By every method.',
      noUpgrades: 'No WebSockets.',
      upgradesMeant: 'WebSockets are meant to go on.',
    },
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
      isDraft: 'This is your draft, not what is stored.',
      unreadable: 'The text cannot be read',
      lineLink: (line: ReactNode) => <>Line {line}</>,
      structureBefore: 'Below is the structure as it was before.',
    },
    tree: {
      lineLink: 'Defaults',
      failsOpen: 'an engine that fails inside lets the request go on (fail_open).',
      failsClosed: 'an engine that fails inside blocks the request (fail_close).',
      emptyTitle: 'It covers no host',
      empty: 'Every request is allowed. Add a domain with its hosts to the text.',
      domains: 'Domains',
      noHost: 'no host',
      everyOtherPath: 'every other path',
      everyPath: 'every path',
      uncoveredAllowed:
        'Requests to hosts that no domain covers are allowed. The longest path prefix wins; all methods are meant.',
    },
    engines: {
      none: 'allowed: no engine looks at it',
      switchedOff: 'switched off here',
      inherited: 'from the domain. ',
    },
    mode: {
      blocks: 'Blocks',
      whyBlocks: 'What fails is answered with 403 or 429',
      detects: 'Detects',
      whyDetects: 'What would be blocked is counted and let through',
      unknown: (stateShape: ReactNode, mode: ReactNode) => (
        <>
          {stateShape} unknown mode {mode}
        </>
      ),
    },
    modeWords: {
      block: 'blocks what fails',
      detect: 'counts what fails and lets it through (detect)',
      other: (mode: string | number) => `mode ${mode}`,
    },
    lineLink: {
      toLine: (line: string | number) => `Line ${line} of the text`,
    },
  },
  structure: {
    notPolicy: 'This is no policy document.',
  },
};
