import type { ReactNode } from 'react';

export const form = {
  answerFields: {
    format: 'Format of the answer to a blocked request',
    unauthorizedStatus: 'Status for a missing or wrong credential',
    realm: 'Realm of the challenge',
    answer: 'What a blocked client gets',
    inheritedFrom: {
      defaults: (format: string) => `As the defaults (${format})`,
      domain: (format: string) => `As the domain (${format})`,
    },
    own: 'own',
    ownHint: 'An answer written here replaces the one above as a whole',
  },
  defaultsForm: {
    section: {
      title: 'Defaults',
      toggle: (arrow: ReactNode) => <>{arrow}Defaults</>,
    },
    summary: {
      bodiesRead: (upTo: string, timeout: string) => `bodies read${upTo} within ${timeout}`,
      upToBytes: (count: string | number) => ` up to ${count} bytes`,
      bodiesNotRead: 'bodies not read',
      whole: (mode: string, fail: string, bodies: string) => `${mode}, ${fail}, ${bodies}`,
    },
  },
  domainList: {
    title: 'Domains',
    countOf: (count: ReactNode) => <>Domains ({count})</>,
    find: 'Find a host or path',
    searches: 'Host or path',
    add: 'Add a domain',
    emptyTitle: 'It covers no host yet',
    empty:
      'A domain is a group of hosts with the engines that guard them. Until there is one, every request is allowed.',
    showAll: (count: ReactNode) => <>Show all {count}</>,
  },
  domainPart: {
    noHost: 'no host yet',
    title: (name: string | number) => `Domain ${name}`,
    remove: 'Remove the domain',
    engines: 'Engines for every path of these hosts',
    noneOutsideRoutes: (count: number) => `no engine outside of its ${count === 1 ? 'route' : `${count} routes`}`,
    enginesAndRoutes: (engines: ReactNode, count: number) => (
      <>
        {engines}, {count === 1 ? 'one route' : `${count} routes`}
      </>
    ),
  },
  engineMarks: {
    inherited: (engineTitle: string | number) => `${engineTitle} (inherited)`,
    switchedOff: (engineTitle: string | number) => `no ${engineTitle} (switched off)`,
    none: 'no engine',
  },
  engineNames: {
    rateLimit: 'Rate limit',
    apiKey: 'API keys',
    jwt: 'Tokens (JWT)',
  },
  errorCount: {
    errors: (count: string | number) => `${count} errors`,
  },
  fieldValue: {
    countedBy: 'Counted by',
    jwksFileCountedBy: 'Key set file (JWKS)',
    hmacSecretFileCountedBy: 'Shared secret file',
    publicKeyFileCountedBy: 'Public key file',
    trustedDocumentsFileCountedBy: 'Trusted documents',
    requireScopeForPathCountedBy: 'Scopes that paths need',
    requireClaimsForPathCountedBy: 'Claims that paths need',
    anyOfCountedBy: 'One of',
    typeCountedBy: 'Type of token',
    maxAgeCountedBy: 'Greatest age',
    sourcesCountedBy: 'Several places',
    sourceCountedBy: 'Read from',
    timeoutCountedBy: 'Time for one request',
  },
  modeField: {
    mode: 'Mode',
    modeHintFrom: {
      defaults: (mode: string) =>
        `block enforces; detect records what would be blocked and lets it through. From the defaults: ${mode}`,
      domain: (mode: string) =>
        `block enforces; detect records what would be blocked and lets it through. From the domain: ${mode}`,
    },
    inheritedFrom: {
      defaults: (mode: string) => `As the defaults (${mode})`,
      domain: (mode: string) => `As the domain (${mode})`,
    },
    block: 'block',
    detect: 'detect',
  },
  policyForm: {
    tooLarge: 'This policy is too large for the form',
    tooLargeText: (count: ReactNode) => <>Beyond {count} characters it is written as text.</>,
    unreadable: 'The text cannot be read as it stands',
    unreadableText: 'The form comes back as soon as it can be; the text says at which line it breaks.',
    notChangeable: 'This cannot be changed here',
    notChangeableText:
      'The text says it in a way that the form cannot rewrite without touching more, such as an alias. Change it in the text.',
  },
  routeList: {
    countOf: (count: ReactNode) => <>Routes: paths with something of their own ({count})</>,
    add: 'Add a route',
    longestWins: 'The longest prefix that fits wins, whatever the order.',
  },
  routePart: {
    noPath: 'no path yet',
    title: (name: string | number) => `Route ${name}`,
    remove: 'Remove the route',
    engines: 'Engines for this path',
  },
};
