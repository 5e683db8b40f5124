import type { ReactNode } from 'react';

export const texts = {
  newPassword: {
    show: 'Show password',
    kept: ': met',
    notKept: ': not met',
    notCommon: 'Not a common password or sequence (checked on save)',
    generate: 'Generate password',
    copied: 'password',
  },
  passwordRules: {
    length: (minLength: string | number) => `At least ${minLength} characters`,
    distinct: (min: string | number) => `At least ${min} different characters`,
    withoutName: 'Does not contain the user name, forwards or backwards',
  },
  secret: {
    overlap: 'Keep the current secret valid for',
    overlapHint: 'If the secret may have leaked, choose “Not at all”: requests with it are rejected at once.',
    overlaps: [
      { value: '0', label: 'Not at all' },
      { value: '3600', label: '1 hour' },
      { value: '86400', label: '1 day' },
      { value: '604800', label: '7 days' },
    ],
    untilTokenEnds: 'Until the token ends',
    choose: 'Choose one',
    twoHold: 'Two secrets are valid',
    twoHoldText: (end: ReactNode) => (
      <>The older one expires {end}. To create a new secret before then, choose “Not at all”: it replaces both.</>
    ),
    make: 'Create new secret',
    failed: 'No secret was created',
    oldEnds: (end: ReactNode) => <>The previous secret expires {end}.</>,
    done: 'Done',
  },
  roles: {
    owner: 'Everything that an admin can do; documents may also refer to files on the host',
    admin: 'Changes everything in the project, including members and API tokens',
    editor: 'Changes resources; sees policies',
    viewer: 'Sees resources and policies, cannot change them',
  },
};
