export const texts = {
  title: 'Blocked addresses',
  lead: 'IP addresses with too many failed sign-ins on different accounts. Each further failure makes the address wait, up to a minute. After an hour without a failure it is unblocked.',
  what: 'The blocked addresses',
  list: 'Blocked addresses',
  columns: {
    address: 'Address',
    state: 'State',
    failures: 'Failures',
    last: 'Last failure',
    until: 'Blocked until',
    actions: 'Actions',
  },
  waits: ['Blocked', 'Until then every sign-in from this address is rejected, even with the right password'] as const,
  next: ['One attempt allowed', 'The next sign-in is checked; if it fails, the address is blocked again'] as const,
  network: 'IPv6 networks count as one address, because one host may own the whole network.',
  proxy:
    'If this is the address of your own proxy, everyone behind it counts as one. Set SVC_TRUSTED_PROXIES to tell them apart.',
  empty: {
    title: 'No blocked addresses',
    text: 'An address is blocked after about a hundred failed sign-ins on different accounts. People who have signed in from it before are not affected.',
  },
  unlock: {
    action: 'Unlock',
    label: (address: string) => `Unlock ${address}`,
    title: (address: string) => `Unlock ${address}?`,
    text: 'The failures of this address are forgotten. An account that is locked by its own failures stays locked: unlock it on its user page.',
    done: (address: string) => `${address} is unlocked.`,
  },
};
