export const codemirror = {
  card: {
    textDocumentation: 'Documentation',
  },
  diff: {
    extensionsAfterRemoved: 'After, with removed lines from before',
    extensionsBefore: 'Before',
    extensionsAfter: 'After',
  },
};
