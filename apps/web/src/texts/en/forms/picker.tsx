import type { ReactNode } from 'react';

export const picker = {
  optionList: {
    deprecated: 'deprecated',
    more: (rest: ReactNode) => <>{rest} more: type to narrow them down</>,
  },
  pickerHost: {
    loading: 'Loading…',
    failed: 'The choices could not be fetched. Close this and try again.',
    none: 'There is nothing to choose from.',
    nothingMatches: (query: string | number) => `Nothing matches “${query}”.`,
  },
};
