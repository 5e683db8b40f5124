export const merge = {
  mergeSession: {
    mergeStructure: {
      titleWholeDocument: 'the whole document',
    },
    mergeLines: {
      title: (line: string | number) => `before line ${line}`,
      titleFromLine: (line: string | number) => `from line ${line}`,
    },
  },
  showValue: {
    text: '(private)',
  },
};
