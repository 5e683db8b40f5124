import type { ReactNode } from 'react';
import { count } from '../../../ui/count.ts';

export const texts = {
  answerFields: {
    format: 'Response format for blocked requests',
    unauthorizedStatus: 'Status for missing or wrong credentials',
    realm: 'Challenge realm',
    answer: 'Response to blocked requests',
    inheritedFrom: {
      defaults: (format: string) => `Inherit (${format})`,
      domain: (format: string) => `Inherit (${format})`,
    },
    own: 'Custom',
    ownHint: 'A response set here completely replaces the inherited one',
  },
  defaultsForm: {
    section: {
      title: 'Defaults',
      toggle: (arrow: ReactNode) => <>{arrow}Defaults</>,
    },
    summary: {
      bodiesRead: (upTo: string, timeout: string) => `bodies read${upTo} within ${timeout}`,
      upToBytes: (bytes: string | number) => ` up to ${bytes} bytes`,
      bodiesNotRead: 'bodies not read',
      whole: (mode: string, fail: string, bodies: string) => `${mode}, ${fail}, ${bodies}`,
    },
  },
  domainList: {
    title: 'Domains',
    countOf: (domains: ReactNode) => <>Domains ({domains})</>,
    find: 'Find a host or path',
    searches: 'Host or path',
    add: 'Add a domain',
    emptyTitle: 'No domains yet',
    empty:
      'A domain is a group of hosts with the engines that protect them. Without a domain, every request is allowed.',
    showAll: (domains: ReactNode) => <>Show all {domains}</>,
  },
  domainPart: {
    noHost: 'no host yet',
    title: (name: string | number) => `Domain ${name}`,
    remove: 'Remove the domain',
    engines: 'Engines for every path of these hosts',
    noneOutsideRoutes: (routes: number) => `engines only on its ${count(routes, 'route')}`,
    enginesAndRoutes: (engines: ReactNode, routes: number) => (
      <>
        {engines}, {count(routes, 'route')}
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
    methods: 'Methods',
    apiKey: 'API keys',
    jwt: 'Tokens (JWT)',
  },
  errorCount: {
    errors: (errors: number) => count(errors, 'error'),
  },
  fieldValue: {
    countedBy: 'Counted by',
    jwksFileCountedBy: 'Key set file (JWKS)',
    hmacSecretFileCountedBy: 'Shared secret file',
    publicKeyFileCountedBy: 'Public key file',
    trustedDocumentsFileCountedBy: 'Trusted documents',
    requireScopeForPathCountedBy: 'Required scopes by path',
    requireClaimsForPathCountedBy: 'Required claims by path',
    anyOfCountedBy: 'One of',
    typeCountedBy: 'Token type',
    maxAgeCountedBy: 'Maximum age',
    sourcesCountedBy: 'Sources',
    sourceCountedBy: 'Read from',
    allow: 'Allowed methods',
    timeoutCountedBy: 'Time limit per request',
  },
  modeField: {
    mode: 'Mode',
    modeHintFrom: {
      defaults: (mode: string) => `block enforces; detect only records what would be blocked. Default: ${mode}`,
      domain: (mode: string) => `block enforces; detect only records what would be blocked. From the domain: ${mode}`,
    },
    inheritedFrom: {
      defaults: (mode: string) => `Inherit (${mode})`,
      domain: (mode: string) => `Inherit (${mode})`,
    },
    block: 'block',
    detect: 'detect',
  },
  policyForm: {
    tooLarge: 'This policy is too large for the form',
    tooLargeText: (characters: ReactNode) => <>Edit policies of more than {characters} characters as text.</>,
    unreadable: 'Syntax error in the text',
    unreadableText: 'Fix the text to use the form again. The text view shows the line of the error.',
    notChangeable: 'This cannot be changed here',
    notChangeableText:
      'The text uses syntax that the form cannot edit safely, such as an alias. Change it in the text.',
  },
  routeList: {
    countOf: (routes: ReactNode) => <>Path overrides ({routes})</>,
    add: 'Add a route',
    longestWins: 'The longest matching prefix wins, regardless of the order.',
  },
  routePart: {
    noPath: 'no path yet',
    title: (name: string | number) => `Route ${name}`,
    remove: 'Remove the route',
    engines: 'Engines for this path',
  },
};
