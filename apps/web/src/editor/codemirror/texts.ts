export const texts = {
  card: {
    documentation: 'Documentation',
  },
  diff: {
    extensionsAfterRemoved: 'After, with removed lines from before',
    extensionsBefore: 'Before',
    extensionsAfter: 'After',
  },
};
