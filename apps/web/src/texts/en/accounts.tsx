import type { ReactNode } from 'react';

export const accounts = {
  names: {
    nameHint: {
      nameRule: 'Letters, digits, dot, dash and underscore; it starts and ends with a letter or digit.',
    },
    judgeName: {
      tooLong: (max: string | number) => `${max} characters at most.`,
    },
  },
  newPassword: {
    show: 'Show the password',
    kept: ': yes',
    notKept: ': not yet',
    notCommon: 'None of the common ones, no sequence: the controller looks',
    generate: 'Generate a password',
    copied: 'password',
  },
  passwordRules: {
    length: (minLength: string | number) => `${minLength} characters or more`,
    distinct: (min: string | number) => `${min} different characters or more`,
    withoutName: 'Without the user name, also backwards',
  },
  secret: {
    overlap: 'The secret of now still holds for',
    overlapHint: 'None: whatever uses it is refused at once. Choose that when it may be known to others.',
    overlaps: [
      { value: '0', label: 'No time at all' },
      { value: '3600', label: '1 hour' },
      { value: '86400', label: '1 day' },
      { value: '604800', label: '7 days' },
    ],
    untilTokenEnds: 'Until the token ends',
    choose: 'Not chosen yet',
    twoHold: 'Two secrets hold now',
    twoHoldText: (end: ReactNode) => (
      <>The older one ends {end}. Until then a new secret can only take the place of both: choose no time at all.</>
    ),
    make: 'Make a new secret',
    failed: 'No secret was made',
    oldEnds: (end: ReactNode) => <>The secret of before ends {end}.</>,
    done: 'Done',
  },
  roles: {
    owner: 'As admin, and may let documents name files of the host',
    admin: 'Changes everything in the project, its members and API tokens too',
    editor: 'Changes resources; sees policies',
    viewer: 'Sees resources and policies, changes nothing',
  },
};
