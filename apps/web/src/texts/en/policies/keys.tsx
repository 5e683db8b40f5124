import type { ReactNode } from 'react';

export const keys = {
  addKey: {
    dialog: {
      title: 'Add an API key',
    },
    form: {
      missing: 'Type or paste the key',
      alreadyListed: 'This key is in the list already',
      origin: 'Where the key comes from',
      make: 'Make a new key',
      bring: 'Use one that exists',
      secret: 'key',
      shownOnce:
        'Give it to whoever shall present it. The policy gets its SHA-256 alone; nobody can read the key back.',
      key: 'Key',
      keyHint: 'Its SHA-256 is computed in this browser; the key itself is sent nowhere',
      subject: 'Subject',
      subjectHint: 'Who presents the key, as events and the upstream are told',
      scopes: 'Scopes',
      scopesHint: 'What the key may, where paths need a scope; end each with Enter',
      expires: 'Expires',
      expiresHint: 'Empty: never',
      add: 'Add to the policy',
    },
  },
  keyList: {
    list: {
      title: (count: ReactNode) => <>Keys ({count})</>,
      showAll: (count: ReactNode) => <>Show all {count}</>,
      add: 'Add a key',
    },
    key: {
      remove: 'Remove',
      removeOf: (who: string | number) => `Remove the key of ${who}`,
      methods: (methods: string | number) => `${methods} alone`,
      rate: (rate: string | number) => `${rate} per second`,
    },
    fingerprint: {
      copied: 'SHA-256',
      noKey: 'no key yet',
      rawKey: 'Raw key in the text',
      whyRawKey: 'Stored as its SHA-256 when you save',
      replaceNow: 'Replace by its SHA-256 now',
    },
    validity: {
      expired: 'Expired',
      whyExpired: (until: string | number) => `No longer taken since ${until}`,
      notYet: 'Not yet',
      whyNotYet: (from: string | number) => `Not taken before ${from}`,
      expiresSoon: 'Expires soon',
      until: (time: ReactNode) => <>until {time}</>,
    },
  },
};
