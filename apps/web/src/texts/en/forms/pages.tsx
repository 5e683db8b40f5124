import type { ReactNode } from 'react';

export const pages = {
  messageForm: {
    form: {
      search: 'Search all fields',
      findField: 'Find a field',
      fields: 'Fields',
    },
    problems: {
      step: (count: ReactNode, part: ReactNode, part2: ReactNode) => (
        <>
          {count} {part}: go to {part2}
        </>
      ),
      next: 'the next',
    },
  },
};
