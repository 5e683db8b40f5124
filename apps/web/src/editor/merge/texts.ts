export const texts = {
  mergeSession: {
    mergeStructure: {
      wholeDocument: 'the whole document',
    },
    mergeLines: {
      beforeLine: (line: string | number) => `before line ${line}`,
      fromLine: (line: string | number) => `from line ${line}`,
    },
  },
  showValue: {
    private: '(private)',
  },
};
