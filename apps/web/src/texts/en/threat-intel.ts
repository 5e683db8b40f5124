const number = (count: number) => count.toLocaleString('en');

export const threatIntel = {
  title: 'Threat feeds',
  lead: 'Lists of addresses and networks that attacks come from, as you or somebody you trust have gathered them. They hold for the whole installation.',
  what: 'The threat feeds',
  list: 'Threat feeds',
  columns: {
    name: 'Feed',
    state: 'State',
    entries: 'Entries',
    uploaded: 'Uploaded',
    by: 'By',
    digest: 'SHA-256 of the file',
    actions: 'Actions',
  },
  on: ['On', 'Counted among the addresses that attacks come from'] as const,
  off: ['Off', 'Kept, and not counted'] as const,
  number,
  switchOn: 'Switch on',
  switchOff: 'Switch off',
  switchOnLabel: (name: string) => `Switch on ${name}`,
  switchOffLabel: (name: string) => `Switch off ${name}`,
  switchedOn: (name: string) => `The feed ${name} is on.`,
  switchedOff: (name: string) => `The feed ${name} is off.`,
  notSwitched: 'The feed was not switched',
  lastUpdate: 'Last change',
  lastBy: 'By',
  total: 'Entries in feeds that are on',
  empty: {
    title: 'No threat feed yet',
    text: 'A feed is a text file with an address or a network a line. Upload one here, or send it by the API from where it is made.',
  },
  add: {
    action: 'Upload a feed',
    first: 'Upload the first feed',
    title: 'Upload a feed',
    name: 'Name',
    nameHint: 'Small letters, digits, dash and underscore. A feed of this name is replaced.',
    nameTaken: 'There is a feed of this name: the file replaces what it holds.',
    nameInvalid: 'Small letters, digits, dash and underscore; a letter or digit first.',
    placeholder: 'known-attackers',
    fileHint:
      'An address or a network (CIDR) a line, IPv4 or IPv6; # begins a comment. At most 250,000 entries and 16 MiB. Networks wider than /8, or /16 with IPv6, are left out.',
    choose: 'Choose the file',
    failed: 'The feed was not taken',
  },
  replace: {
    action: 'Replace',
    label: (name: string) => `Replace ${name}`,
    title: (name: string) => `Replace ${name}`,
  },
  taken: {
    title: (name: string, entries: number) => `${name} holds ${number(entries)} entries now.`,
    allRead: 'Every line was understood.',
    skipped: (count: number) =>
      count === 1
        ? 'One line was left out: it is neither an address nor a network, or a network that is too wide.'
        : `${number(count)} lines were left out: they are neither addresses nor networks, or networks that are too wide.`,
    lines: (lines: readonly number[], isAll: boolean) =>
      `${lines.length === 1 ? 'Line' : 'Lines'} ${lines.map(number).join(', ')}${isAll ? '.' : ' and more.'}`,
    done: 'Done',
  },
  entries: {
    title: (name: string) => `Entries of ${name}`,
    list: 'Entries',
    shown: (shown: number, total: number) =>
      shown === total ? `${number(total)} entries` : `The first ${number(shown)} of ${number(total)} entries`,
    more: 'Show more',
    gone: 'There is no feed of this name any more.',
    what: 'The entries',
  },
  remove: {
    action: 'Delete',
    label: (name: string) => `Delete ${name}`,
    title: (name: string) => `Delete the feed ${name}?`,
    text: (entries: number) =>
      `Its ${number(entries)} entries are deleted with it. To leave them out for a while, switch the feed off.`,
    done: (name: string) => `The feed ${name} is deleted.`,
  },
};
