import type { ReactNode } from 'react';

export const form = {
  answerFields: {
    formatLabel: 'Answer to a blocked request',
    statusLabel: 'Status for a missing or wrong credential',
    realmLabel: 'Realm of the challenge',
    label: 'Answer',
    description: 'What a blocked client gets. An answer written here replaces the one above as a whole',
    inheritedChoice: (from: string, format: string) => `As ${from} (${format})`,
    ownChoice: 'own',
  },
  defaultsForm: {
    defaultsForm: {
      ariaLabel: 'Defaults',
      button: (span: ReactNode) => <>{span}Defaults</>,
    },
    describeDefaults: {
      text: (part: string | number) => `bodies read${part}`,
      textUpBytes: (count: string | number) => ` up to ${count} bytes`,
      textBodiesNot: 'bodies not read',
      textPerRequest: (
        mode: string | number,
        fail: string | number,
        bodies: string | number,
        textOf: string | number,
      ) => `${mode}, ${fail}, ${bodies}, ${textOf} per request`,
    },
  },
  domainList: {
    ariaLabel: 'Domains',
    heading: (count: ReactNode) => <>Domains ({count})</>,
    ariaLabelFindHost: 'Find a host or path',
    placeholder: 'Host or path',
    button: 'Add a domain',
    title: 'It covers no host yet',
    empty:
      'A domain is a group of hosts with the engines that guard them. Until there is one, every request is allowed.',
    buttonShowAll: (count: ReactNode) => <>Show all {count}</>,
  },
  domainPart: {
    textNoHost: 'no host yet',
    ariaLabel: (name: string | number) => `Domain ${name}`,
    button: 'Remove the domain',
    heading: 'Engines for every path of these hosts',
  },
  engineMarks: {
    text: (engineTitle: string | number) => `${engineTitle} (inherited)`,
    textNoSwitched: (engineTitle: string | number) => `no ${engineTitle} (switched off)`,
    textNoEngine: 'no engine',
  },
  engineNames: {
    rateLimit: 'Rate limit',
    apiKey: 'API keys',
    jwt: 'Tokens (JWT)',
  },
  errorCount: {
    word: (count: string | number) => `${count} errors`,
  },
  fieldValue: {
    countedBy: 'Counted by',
    jwksFileCountedBy: 'Key set file (JWKS)',
    hmacSecretFileCountedBy: 'Shared secret file',
    publicKeyFileCountedBy: 'Public key file',
    requireScopeForPathCountedBy: 'Scopes that paths need',
    sourcesCountedBy: 'Several places',
    sourceCountedBy: 'Read from',
    timeoutCountedBy: 'Time for one request',
  },
  modeField: {
    labelInherited: (from: string, inherited: string) => `As ${from} (${inherited})`,
    label: 'Mode',
    labelBlock: 'block',
    labelDetect: 'detect',
  },
  policyForm: {
    title: 'This policy is too large for the form',
    notice: (count: ReactNode) => <>Beyond {count} characters it is written as text.</>,
    titleTextCannot: 'The text cannot be read as it stands',
    noticeFormComes: 'The form comes back as soon as it can be; the text says at which line it breaks.',
    titleCannotBe: 'This cannot be changed here',
    noticeTextSays:
      'The text says it in a way that the form cannot rewrite without touching more, such as an alias. Change it in the text.',
  },
  routeList: {
    heading: (count: ReactNode) => <>Routes: paths with something of their own ({count})</>,
    button: 'Add a route',
    text: 'The longest prefix that fits wins, whatever the order.',
    buttonShowAll: (count: ReactNode) => <>Show all {count}</>,
  },
  routePart: {
    textNoPath: 'no path yet',
    ariaLabel: (name: string | number) => `Route ${name}`,
    button: 'Remove the route',
    heading: 'Engines for this path',
  },
};
