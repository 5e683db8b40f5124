import type { ReactNode } from 'react';

export const texts = {
  addKey: {
    dialog: {
      title: 'Add an API key',
    },
    form: {
      missing: 'Enter the key',
      alreadyListed: 'This key is in the list already',
      origin: 'Key',
      make: 'Generate a new key',
      bring: 'Use an existing key',
      secret: 'key',
      shownOnce:
        'Give it to the client that will use it. The policy stores only its SHA-256; nobody can see the key again.',
      key: 'Key',
      keyHint: 'Its SHA-256 is computed in this browser; the key itself is not sent',
      subject: 'Subject',
      subjectHint: 'Identifies the owner of the key in events and to the upstream',
      scopes: 'Scopes',
      scopesHint: 'For paths that require a scope; press Enter after each',
      expires: 'Expires',
      expiresHint: 'Empty: never',
      add: 'Add to the policy',
    },
  },
  keyList: {
    list: {
      title: (keys: ReactNode) => <>Keys ({keys})</>,
      showAll: (keys: ReactNode) => <>Show all {keys}</>,
      add: 'Add a key',
    },
    key: {
      remove: 'Remove',
      removeOf: (who: string | number) => `Remove the key of ${who}`,
      methods: (methods: string | number) => `${methods} only`,
      rate: (rate: string | number) => `${rate} per second`,
    },
    fingerprint: {
      copied: 'SHA-256',
      noKey: 'no key yet',
      rawKey: 'Raw key in the text',
      whyRawKey: 'Saved as its SHA-256',
      replaceNow: 'Replace with its SHA-256 now',
    },
    validity: {
      expired: 'Expired',
      whyExpired: (until: string | number) => `Rejected since ${until}`,
      notYet: 'Not valid yet',
      whyNotYet: (from: string | number) => `Rejected before ${from}`,
      expiresSoon: 'Expires soon',
      until: (time: ReactNode) => <>until {time}</>,
    },
  },
};
