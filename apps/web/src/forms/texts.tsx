import type { ReactNode } from 'react';

export const texts = {
  messageForm: {
    form: {
      search: 'Search all fields',
      findField: 'Find a field',
      fields: 'Fields',
    },
    problems: {
      step: (count: ReactNode, findings: ReactNode, toGo: ReactNode) => (
        <>
          {count} {findings}: go to {toGo}
        </>
      ),
      next: 'the next',
    },
  },
};
