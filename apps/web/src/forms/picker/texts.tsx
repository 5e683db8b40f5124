import type { ReactNode } from 'react';

export const texts = {
  optionList: {
    deprecated: 'deprecated',
    more: (rest: ReactNode) => <>{rest} more: type to narrow the list</>,
  },
  pickerHost: {
    loading: 'Loading…',
    failed: 'The choices could not be loaded. Close this and try again.',
    none: 'Nothing to choose from.',
    nothingMatches: (query: string | number) => `No results for “${query}”.`,
  },
};
