export const codemirror = {
  card: {
    documentation: 'Documentation',
  },
  diff: {
    extensionsAfterRemoved: 'After, with removed lines from before',
    extensionsBefore: 'Before',
    extensionsAfter: 'After',
  },
};
