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
    drawer: {
      title: 'Create an API token',
    },
    created: {
      isCreated: (name: ReactNode) => <>The token {name} is created. Put it where the program finds it:</>,
      secret: 'token',
      shownOnce: (role: ReactNode) => (
        <>
          Only a hash of it is kept: when this is closed, nobody can show it again. Whoever has it may do what a {role}{' '}
          of this project may.
        </>
      ),
      tryIt: 'Try it: this answers who the token is.',
      role: 'Role',
      expires: 'Expires',
      done: 'Done',
      createAnother: 'Create another token',
    },
  },
  newTokenForm: {
    form: {
      nameTaken: 'This project has a token of this name.',
      name: 'Name',
      nameHint: (rule: string | number) => `What uses it, so that one knows later what breaks without it. ${rule}`,
      nameExample: 'ci-deploy',
      role: 'Role',
      roleHint: 'The least that does. Never more than your own role at the time of a request.',
      expires: 'Expires',
      lastDay: 'Last day',
      dayIsOver: 'This day is over.',
      failed: 'The token was not created',
      create: 'Create',
    },
    end: {
      worksUntilRevoked: 'It works until somebody revokes it: better give it an end.',
      worksUntil: (exact: string | number) => `It works until ${exact}.`,
      worksToEndOfDay: 'It works until that day is over.',
    },
  },
  revokeToken: {
    title: (name: string) => `Revoke ${name}?`,
    action: 'Revoke',
    done: (name: string | number) => `The API token ${name} is revoked.`,
    refusedFromNow: 'The next request with it is refused. It cannot be brought back.',
    lastUsedAt: (time: ReactNode) => <>Last used: {time}. Whatever uses it needs another one.</>,
  },
  tokenColumns: {
    columns: {
      name: 'Name',
      state: 'State',
      prefix: 'Begins with',
      role: 'Role',
      expires: 'Expires',
      lastUsed: 'Last used',
      usedFrom: 'Used from',
      madeBy: 'Made by',
      deletedAccount: 'deleted account',
      created: 'Created',
      actions: 'Actions',
      revokeToken: (name: string | number) => `Revoke ${name}`,
      revoke: 'Revoke',
    },
    state: {
      valid: 'Valid',
      whyValid: 'Requests with it are taken while its maker may do them',
      expiresSoon: 'Expires soon',
      whyExpiresSoon: (time: ReactNode) => <>It ends {time}: create another and put it where this one is</>,
      expired: 'Expired',
      refusedSince: (time: ReactNode) => <>Requests with it are refused, {time}</>,
      refused: 'Refused',
    },
  },
  tokenModel: {
    expiries: {
      days: (one: string | number) => `${one} days`,
      onDate: 'On a date',
      never: 'Never',
    },
    whyOrphaned: {
      inactive: 'The account of its maker is deactivated',
      notAMember: 'Its maker is no longer a member of this project',
      deleted: 'The account of its maker was deleted',
    },
    formatCurl: {
      curl: (token: string | number, origin: string | number, path: string | number) =>
        `curl -H 'Authorization: Bearer ${token}' '${origin}${path}'`,
    },
  },
  tokensPage: {
    title: 'API tokens',
    lead: "For programs that work in this project. A token has one role, at most that of its maker, and ends with the maker's account or membership.",
    create: 'Create an API token',
    searches: 'Name',
    emptyTitle: 'No API token yet',
    createFirst: 'Create the first API token',
    empty: "With a token a script or pipeline calls the REST API of this project without anybody's password.",
  },
};
