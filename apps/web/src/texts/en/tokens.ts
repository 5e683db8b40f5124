export const tokens = {
  families: 'What it may call',
  mayCall: 'May call',
  familiesHint: 'Nothing chosen: everything that its role allows. Choose the least that does.',
  allFamilies: 'everything',
  lastUsedFrom: (address: string) => `from ${address}`,
  rotate: {
    action: 'Rotate',
    label: (name: string) => `Rotate ${name}`,
    title: 'Give the token a new secret',
    gone: 'There is no such token in this list any more.',
    text: (name: string) =>
      `${name} keeps its role, its families and its end. Put the new secret where the old one is before that one ends.`,
    overlap: 'The old secret still works for',
    overlapHint: 'None: whatever uses it is refused at once. Choose that when the secret may be known to others.',
    make: 'Make a new secret',
    failed: 'The token was not rotated',
    done: 'Done',
    once: 'Only a hash of it is kept: when this is closed, nobody can show it again.',
    oldEnds: 'The old secret ends',
    oldEnded: 'The old secret has ended.',
  },
  overlaps: [
    { value: '0', label: 'No time at all' },
    { value: '3600', label: '1 hour' },
    { value: '86400', label: '1 day' },
    { value: '604800', label: '7 days' },
  ],
};
