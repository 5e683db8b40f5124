export const fields = {
  choiceField: {
    error: (value: string | number) => `${value} is none of these`,
  },
  fileField: {
    errorNoSuch: 'No such file is beside the policy yet',
    placeholder: 'None',
    ariaLabel: (label: string | number) => `Add a file for ${label}`,
    unstyledButton: 'Add a file',
  },
  messagesField: {
    label: 'Remove',
    ariaLabel: (label: string | number, part: string | number) => `Remove ${label}, ${part}`,
    ariaLabelAdd: (label: string | number) => `Add to ${label}`,
    button: 'Add',
  },
};
