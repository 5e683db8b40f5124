import type { ReactNode } from 'react';

export const keys = {
  addKey: {
    addKey: {
      title: 'Add an API key',
    },
    addKeyForm: {
      textTypePaste: 'Type or paste the key',
      textKeyList: 'This key is in the list already',
      ariaLabel: 'Where the key comes from',
      labelMake: 'Make a new key',
      labelBring: 'Use one that exists',
      what: 'key',
      shownOnce:
        'Give it to whoever shall present it. The policy gets its SHA-256 alone; nobody can read the key back.',
      label: 'Key',
      description: 'Its SHA-256 is computed in this browser; the key itself is sent nowhere',
      labelSubject: 'Subject',
      descriptionWhoPresents: 'Who presents the key, as events and the upstream are told',
      labelScopes: 'Scopes',
      descriptionKeyMay: 'What the key may, where paths need a scope; end each with Enter',
      labelExpires: 'Expires',
      descriptionEmptyNever: 'Empty: never',
      button: 'Cancel',
      buttonAddPolicy: 'Add to the policy',
    },
  },
  keyList: {
    keyList: {
      legend: (count: ReactNode) => <>Keys ({count})</>,
      button: (count: ReactNode) => <>Show all {count}</>,
      buttonAddKey: 'Add a key',
    },
    keyLine: {
      label: 'Remove',
      ariaLabel: (who: string | number) => `Remove the key of ${who}`,
    },
    fingerprint: {
      what: 'SHA-256',
      text: 'no key yet',
      word: 'Raw key in the text',
      why: 'Stored as its SHA-256 when you save',
      button: 'Replace by its SHA-256 now',
    },
    validityState: {
      word: 'Expired',
      why: (until: string | number) => `No longer taken since ${until}`,
      wordNotYet: 'Not yet',
      whyNotTaken: (from: string | number) => `Not taken before ${from}`,
      wordExpiresSoon: 'Expires soon',
      text: (time: ReactNode) => <>until {time}</>,
    },
  },
};
