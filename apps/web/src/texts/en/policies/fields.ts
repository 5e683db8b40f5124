export const fields = {
  choiceField: {
    noneOfThese: (value: string | number) => `${value} is none of these`,
  },
  fileField: {
    missing: 'No such file is beside the policy yet',
    none: 'None',
    addFor: (label: string | number) => `Add a file for ${label}`,
    add: 'Add a file',
  },
  policyField: {
    pairs: 'name=number',
    unset: 'not said',
  },
  messagesField: {
    remove: 'Remove',
    removeItem: (label: string | number, number: string | number) => `Remove ${label}, ${number}`,
    addTo: (label: string | number) => `Add to ${label}`,
    add: 'Add',
  },
};
