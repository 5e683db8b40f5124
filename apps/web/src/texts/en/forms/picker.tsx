import type { ReactNode } from 'react';

export const picker = {
  optionList: {
    text: 'deprecated',
    textMoreType: (part: ReactNode) => <>{part} more: type to narrow them down</>,
  },
  pickerHost: {
    text: 'Loading…',
    textChoicesCould: 'The choices could not be fetched. Close this and try again.',
    textThereNothing: 'There is nothing to choose from.',
    textNothingMatches: (query: string | number) => `Nothing matches “${query}”.`,
  },
};
