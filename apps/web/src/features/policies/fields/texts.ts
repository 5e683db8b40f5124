export const texts = {
  choiceField: {
    noneOfThese: (value: string | number) => `${value} is not one of these`,
  },
  fileField: {
    missing: 'The policy has no such file yet',
    none: 'None',
    addFor: (label: string | number) => `Add a file for ${label}`,
    add: 'Add a file',
  },
  policyField: {
    pairs: 'name=number',
    noWords: 'Choose or type',
    unset: 'not set',
  },
  messagesField: {
    remove: 'Remove',
    removeItem: (label: string | number, number: string | number) => `Remove ${label}, ${number}`,
    addTo: (label: string | number) => `Add to ${label}`,
    add: 'Add',
  },
};
