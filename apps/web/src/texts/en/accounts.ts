export const accounts = {
  names: {
    nameHint: {
      textLettersDigits: 'Letters, digits, dot, dash and underscore; it starts and ends with a letter or digit.',
    },
    judgeName: {
      text: (namemax: string | number) => `${namemax} characters at most.`,
    },
  },
  newPassword: {
    ariaLabel: 'Show the password',
    textYes: ': yes',
    textNotYet: ': not yet',
    item: 'None of the common ones, no sequence: the controller looks',
    button: 'Generate a password',
    what: 'password',
  },
  passwordRules: {
    text: (minLength: string | number) => `${minLength} characters or more`,
    textDifferentCharacters: (mindistinct: string | number) => `${mindistinct} different characters or more`,
    textWithoutUser: 'Without the user name, also backwards',
  },
  roles: {
    owner: 'As admin, and may let documents name files of the host',
    admin: 'Changes everything in the project, its members and API tokens too',
    editor: 'Changes resources; sees policies',
    viewer: 'Sees resources and policies, changes nothing',
  },
};
