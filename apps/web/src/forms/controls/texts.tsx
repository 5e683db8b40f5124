import type { ReactNode } from 'react';

export const texts = {
  boolControl: {
    switch: {
      on: 'On',
      off: 'Off',
      notSet: ' (not set)',
    },
    states: {
      default: 'Default',
      on: 'On',
      off: 'Off',
    },
  },
  enumControl: {
    isDefault: 'Default',
    byDefault: (name: string | number) => `Default: ${name}`,
    notSet: 'Not set',
    search: 'Search values',
  },
  jsonControl: {
    unreadable: 'syntax error',
    notTakenOver: (problem: ReactNode) => <>Not applied yet: {problem}</>,
  },
  nameControl: {
    openDocument: (collection: string, name: string) => `Open ${collection}/${name} in a new tab`,
    open: (text: string | number) => `Open ${text} in a new tab`,
    namesOf: (collection: string | number) => `Names of ${collection}`,
  },
  secretControl: {
    hide: 'Hide value',
    show: 'Show value',
  },
  segmentedControl: {
    none: 'None',
  },
  valueControl: {
    durationExample: '5s, 500ms, 2m',
    namesExample: 'user,displayName',
  },
};
