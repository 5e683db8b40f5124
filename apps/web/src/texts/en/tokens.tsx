import type { ReactNode } from 'react';

export const tokens = {
  families: 'What it may call',
  mayCall: 'May call',
  familiesHint: 'Nothing chosen: everything that its role allows. Choose the least that does.',
  allFamilies: 'everything',
  bound: (days: number) => `In this installation tokens work for ${days === 1 ? 'a day' : `${days} days`} at most.`,
  lastUsedFrom: (address: string) => `from ${address}`,
  rotate: {
    action: 'Rotate',
    label: (name: string) => `Rotate ${name}`,
    title: 'Give the token a new secret',
    gone: 'There is no such token in this list any more.',
    text: (name: string) =>
      `${name} keeps its role, its families and its end. Put the new secret where the old one is before that one ends.`,
    what: 'token',
    once: 'Only a hash of it is kept: when this is closed, nobody can show it again.',
  },
  newTokenDrawer: {
    newTokenDrawer: {
      title: 'Create an API token',
    },
    newToken: {
      text: (bdi: ReactNode) => <>The token {bdi} is created. Put it where the program finds it:</>,
      what: 'token',
      shownOnce: (role: ReactNode) => (
        <>
          Only a hash of it is kept: when this is closed, nobody can show it again. Whoever has it may do what a {role}{' '}
          of this project may.
        </>
      ),
      tryIt: 'Try it: this answers who the token is.',
      factRole: 'Role',
      factExpires: 'Expires',
      button: 'Done',
      buttonCreateAnother: 'Create another token',
    },
  },
  newTokenForm: {
    newTokenForm: {
      nameTaken: 'This project has a token of this name.',
      label: 'Name',
      description: (namehint: string | number) =>
        `What uses it, so that one knows later what breaks without it. ${namehint}`,
      placeholder: 'ci-deploy',
      labelRole: 'Role',
      roleHint: 'The least that does. Never more than your own role at the time of a request.',
      labelExpires: 'Expires',
      labelLastDay: 'Last day',
      errorDayOver: 'This day is over.',
      what: 'The token was not created',
      button: 'Create',
    },
    describeEnd: {
      worksUntilRevoked: 'It works until somebody revokes it: better give it an end.',
      text: (exact: string | number) => `It works until ${exact}.`,
      worksToEndOfDay: 'It works until that day is over.',
    },
  },
  revokeToken: {
    title: (name: string) => `Revoke ${name}?`,
    action: 'Revoke',
    done: (name: string | number) => `The API token ${name} is revoked.`,
    item: 'The next request with it is refused. It cannot be brought back.',
    lastUsedAt: (time: ReactNode) => <>Last used: {time}. Whatever uses it needs another one.</>,
  },
  tokenColumns: {
    createTokenColumns: {
      headerName: 'Name',
      headerState: 'State',
      headerPrefix: 'Begins with',
      headerRole: 'Role',
      headerExpiresAt: 'Expires',
      headerLastUsedAt: 'Last used',
      headerLastUsedIp: 'Used from',
      headerCreatedBy: 'Made by',
      i: 'deleted account',
      headerCreatedAt: 'Created',
      headerActions: 'Actions',
      ariaLabel: (name: string | number) => `Revoke ${name}`,
      button: 'Revoke',
    },
    tokenStateCell: {
      word: 'Valid',
      why: 'Requests with it are taken while its maker may do them',
      wordExpiresSoon: 'Expires soon',
      text: (time: ReactNode) => <>It ends {time}: create another and put it where this one is</>,
      wordExpired: 'Expired',
      refusedSince: (time: ReactNode) => <>Requests with it are refused, {time}</>,
      wordRefused: 'Refused',
    },
  },
  tokenModel: {
    toExpiries: {
      label: (one: string | number) => `${one} days`,
      labelDate: 'On a date',
      labelNever: 'Never',
    },
    whyOrphaned: {
      inactive: 'The account of its maker is deactivated',
      notAMember: 'Its maker is no longer a member of this project',
      deleted: 'The account of its maker was deleted',
    },
    formatCurl: {
      text: (token: string | number, origin: string | number, path: string | number) =>
        `curl -H 'Authorization: Bearer ${token}' '${origin}${path}'`,
    },
  },
  tokensPage: {
    title: 'API tokens',
    lead: "For programs that work in this project. A token has one role, at most that of its maker, and ends with the maker's account or membership.",
    button: 'Create an API token',
    searches: 'Name',
    titleNoApi: 'No API token yet',
    buttonCreateFirst: 'Create the first API token',
    empty: "With a token a script or pipeline calls the REST API of this project without anybody's password.",
  },
};
