import type { ReactNode } from 'react';

export const pages = {
  messageForm: {
    messageForm: {
      title: 'Search all fields',
      button: 'Find a field',
      ariaLabelFields: 'Fields',
    },
    problemStepper: {
      button: (count: ReactNode, part: ReactNode, part2: ReactNode) => (
        <>
          {count} {part}: go to {part2}
        </>
      ),
      textNext: 'the next',
    },
  },
};
