import type { ReactNode } from 'react';
import { count } from '../../ui/count.ts';

export const texts = {
  families: 'Scopes',
  mayCall: 'Scopes',
  familiesHint: 'None selected: everything that its role allows. Select only what it needs.',
  allFamilies: 'all',
  bound: (days: number) => `In this installation, tokens expire after ${count(days, 'day')} at most.`,
  lastUsedFrom: (address: string) => `from ${address}`,
  rotate: {
    action: 'Rotate',
    label: (name: string) => `Rotate ${name}`,
    title: 'Rotate the secret of the token',
    gone: 'This token no longer exists.',
    text: (name: string) => `${name} keeps its role, scopes and expiry. Replace the current secret before it expires.`,
    what: 'token',
    once: 'Only a hash of it is stored. After you close this, nobody can see the token again.',
  },
  newTokenDrawer: {
    drawer: {
      title: 'Create an API token',
    },
    created: {
      isCreated: (name: ReactNode) => <>The token {name} is created. Store it where your program can read it:</>,
      secret: 'token',
      shownOnce: (role: ReactNode) => (
        <>
          Only a hash of it is stored. After you close this, nobody can see the token again. It gives the access of a{' '}
          {role} of this project.
        </>
      ),
      tryIt: 'Try it: this request shows the account of the token.',
      role: 'Role',
      expires: 'Expires',
      done: 'Done',
      createAnother: 'Create another token',
    },
  },
  newTokenForm: {
    form: {
      nameTaken: 'This project already has a token with this name.',
      name: 'Name',
      nameHint: (rule: string | number) => `What uses this token. ${rule}`,
      nameExample: 'ci-deploy',
      role: 'Role',
      roleHint: 'Choose the lowest role that works. It is limited to your own role at the time of each request.',
      expires: 'Expires',
      lastDay: 'Last day',
      dayIsOver: 'This day is in the past.',
      failed: 'The token was not created',
      create: 'Create',
    },
    end: {
      worksUntilRevoked: 'It works until it is revoked. An expiry is safer.',
      worksUntil: (exact: string | number) => `It works until ${exact}.`,
      worksToEndOfDay: 'It works until the end of that day.',
    },
  },
  revokeToken: {
    title: (name: string) => `Revoke ${name}?`,
    action: 'Revoke',
    done: (name: string | number) => `The API token ${name} is revoked.`,
    refusedFromNow: 'The next request with it is rejected. This cannot be undone.',
    lastUsedAt: (time: ReactNode) => <>Last used: {time}. Anything that uses it needs another token.</>,
  },
  tokenColumns: {
    columns: {
      name: 'Name',
      state: 'State',
      prefix: 'Prefix',
      role: 'Role',
      expires: 'Expires',
      lastUsed: 'Last used',
      usedFrom: 'Used from',
      madeBy: 'Created by',
      deletedAccount: 'deleted account',
      created: 'Created',
      actions: 'Actions',
      revokeToken: (name: string | number) => `Revoke ${name}`,
      revoke: 'Revoke',
    },
    state: {
      valid: 'Valid',
      whyValid: 'Requests with it are accepted within the rights of its creator',
      expiresSoon: 'Expires soon',
      whyExpiresSoon: (time: ReactNode) => <>It expires {time}: create another token and replace it</>,
      expired: 'Expired',
      refusedSince: (time: ReactNode) => <>Expired {time}; requests with it are rejected</>,
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
      inactive: 'The account of its creator is deactivated',
      notAMember: 'Its creator is no longer a member of this project',
      deleted: 'The account of its creator was deleted',
    },
    formatCurl: {
      curl: (token: string | number, origin: string | number, path: string | number) =>
        `curl -H 'Authorization: Bearer ${token}' '${origin}${path}'`,
    },
  },
  tokensPage: {
    title: 'API tokens',
    lead: "For programs that use this project. A token never has more rights than its creator, and stops working when the creator's account or membership ends.",
    create: { action: 'Create an API token' },
    searches: 'Name',
    empty: {
      title: 'No API tokens yet',
      text: 'With a token, a script or pipeline calls the REST API of this project without a password.',
      action: 'Create the first API token',
    },
  },
};
