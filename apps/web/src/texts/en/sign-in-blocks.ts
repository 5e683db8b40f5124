export const signInBlocks = {
  title: 'Blocked addresses',
  words: 'sign-in block throttle unlock wrong passwords guessing brute force ip address wait',
  lead: 'Addresses from which too many accounts were tried with wrong passwords. Each further failure makes them wait, up to a minute; an hour without one is forgotten.',
  what: 'The blocked addresses',
  list: 'Blocked addresses',
  columns: {
    address: 'Address',
    state: 'State',
    failures: 'Failed',
    last: 'Last failure',
    until: 'Waits until',
    actions: 'Actions',
  },
  waits: ['Waits', 'Until then nothing that comes from there is looked at, not even a right password'] as const,
  next: ['May try once', 'The next try is looked at; where it fails too, the address waits again'] as const,
  network: 'Of IPv6 a whole network counts as one address: one host may have all of it.',
  proxy:
    'If it is the address of your own proxy, everybody behind it counts as one: set SVC_TRUSTED_PROXIES, so that people are told apart.',
  empty: {
    title: 'No address is blocked',
    text: 'An address is blocked when about a hundred sign-ins at different accounts have failed from it. People who have signed in from there before are not held up.',
  },
  unlock: {
    action: 'Unlock',
    label: (address: string) => `Unlock ${address}`,
    title: (address: string) => `Unlock ${address}?`,
    text: 'What failed from there is forgotten, and as many accounts may be tried from there again. An account that waits for its own failures goes on waiting: unlock it at its user.',
    done: (address: string) => `${address} is unlocked.`,
  },
};
