import type { ReactNode } from 'react';

export const controls = {
  boolControl: {
    switchControl: {
      textOn: 'On',
      textOff: 'Off',
      textNotSet: ' (not set)',
    },
    states: {
      labelDefault: 'Default',
      labelTrue: 'On',
      labelFalse: 'Off',
    },
  },
  enumControl: {
    hintDefault: 'The default',
    text: (name: string | number) => `${name} by default`,
    textNotSet: 'Not set',
    title: 'Search values',
  },
  jsonControl: {
    textCannotBe: 'it cannot be read',
    text: (problem: ReactNode) => <>Not taken over yet: {problem}</>,
  },
  nameControl: {
    title: (collection: string, name: string) => `Open ${collection}/${name} in a new tab`,
    ariaLabel: (text: string | number) => `Open ${text} in a new tab`,
    label: (collection: string | number) => `Names of ${collection}`,
  },
  secretControl: {
    ariaLabelHideTyped: 'Hide what was typed',
    ariaLabelShowTyped: 'Show what was typed',
  },
  segmentedControl: {
    textNone: 'None',
  },
  valueControl: {
    placeholder: '5s, 500ms, 2m',
    namesExample: 'user,displayName',
  },
};
