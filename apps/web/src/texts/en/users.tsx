import type { ReactNode } from 'react';

export const users = {
  list: {
    role: 'Role',
    realm: 'Signs in',
    state: 'State',
    active: 'Active',
    deactivated: 'Deactivated',
    owner: 'Owner of the installation',
    yes: 'Yes',
    no: 'No',
  },
  elsewhere: 'The account signs in elsewhere: name and address are changed there.',
  deletion: {
    what: 'What hangs on the account',
    nothing: 'Nothing hangs on the account.',
    gone: 'Goes with the account, at once and for good:',
    ends: 'Is still there, and does nothing any more until somebody takes it over:',
    kinds: {
      memberships: 'memberships',
      sessions: 'sessions',
      groups: 'places in groups',
      permissions: 'permissions',
      passkeys: 'passkeys',
      api_tokens: 'API tokens',
      jobs: 'unfinished jobs',
      schedules: 'schedules',
    },
    more: (count: number) => `and ${count.toLocaleString('en')} more`,
    stays: 'What the user made or changed stays, and so does the audit log.',
    instead: 'To shut somebody out for a while, deactivate the user instead.',
  },
  sessions: {
    title: 'Sessions',
    what: 'The sessions',
    none: 'The user is signed in nowhere.',
    endAll: 'End all',
    end: 'End',
    endLabel: (device: string, address: string) => `End the session ${device}, ${address}`,
    endTitle: 'End the session?',
    endAllTitle: (name: string) => `End all sessions of ${name}?`,
    endText: (device: string, address: string) => `Whoever uses it (${device}, ${address}) has to sign in again.`,
    endAllText:
      'Every browser and program that is signed in as the user is signed out with its next request. API tokens go on.',
    ended: 'The session has ended.',
    endedAll: 'All sessions of the user have ended.',
    unknownAddress: 'address unknown',
    lastUsed: 'last used',
    signedIn: 'signed in',
    with: (factors: string) => `with ${factors}`,
    password: 'a password alone',
  },
  unlock: {
    label: 'Failed sign-ins',
    hint: 'After many, the next ones have to wait. Unlocking forgets them.',
    action: 'Unlock',
    done: (name: string) => `${name} may sign in again at once.`,
    failed: 'The user was not unlocked',
  },
  factor: {
    label: 'Second factor',
    hint: 'For somebody who has lost it.',
    action: 'Reset',
    title: (name: string) => `Take all second factors from ${name}?`,
    text: 'Codes, backup codes and passkeys stop working, and all sessions of the user end. Make sure that it is the user who asks for it.',
    done: (name: string) => `${name} has no second factor any more.`,
  },
  accountForm: {
    labels: {
      username: 'User name',
      isOwner: 'Owner of the installation',
    },
    accountForm: {
      done: 'The account is changed.',
      errorUserName: 'This user name is taken.',
      description: 'May do everything in every project, and manage accounts and projects.',
      title: 'Somebody else has changed this account meanwhile',
      notice: 'What is shown has their change and yours together. Look at it and save once more.',
      what: 'The account was not changed',
      button: 'Save',
      buttonDiscard: 'Discard',
    },
  },
  addMember: {
    done: (username: string | number, role: string | number) => `${username} is a member with the role ${role}.`,
    label: 'User name',
    description: (name: string | number) => `Of somebody who has an account but is not in ${name} yet.`,
    labelRole: (name: string | number) => `Role in ${name}`,
    title: 'Nobody has this user name',
    text: 'Check how it is written, or create an account.',
    button: 'Create a new account',
    titleAlreadyMember: 'Already a member',
    notice: (bdi: ReactNode) => <>{bdi} is in this project. Open the user to change the role.</>,
    what: 'The user was not added',
    buttonAddProject: 'Add to the project',
  },
  addUserDrawer: {
    addUserDrawer: {
      title: 'Add a user',
    },
    addUser: {
      ariaLabel: 'Who is added',
      labelMember: 'Has an account',
      labelAccount: 'New account',
    },
  },
  deleteUser: {
    question: (username: string) => `Delete ${username}?`,
    action: 'Delete the account',
    done: (username: string | number) => `${username} is deleted.`,
  },
  endMembership: {
    question: (project: string) => `End the membership in ${project}?`,
    done: (username: string | number, projectName: string | number) =>
      `${username} is no longer a member of ${projectName}.`,
    action: 'End the membership',
    b: 'You lose access to the project with the next click.',
    text: (bdi: ReactNode) => <>{bdi} loses access to the project at once. The account stays.</>,
    item: (part: ReactNode) => <>API tokens of this project that {part} made are refused from now on.</>,
    textUser: 'the user',
    whatWasMadeStays: 'What was made or changed stays as it is.',
  },
  lately: {
    titleDoneLately: 'Done lately',
    doneLatelyHere: 'Done lately in this project',
    link: 'Audit log',
    what: 'The audit log',
    text: 'Nothing is on record.',
  },
  membershipDialog: {
    membershipDialog: {
      titleAddProject: 'Add to a project',
      title: (projectName: string | number) => `Role in ${projectName}`,
    },
    membershipForm: {
      done: (username: string | number, role: string | number) => `${username} has the role ${role}.`,
      label: 'Project',
      labelRole: 'Role',
      title: 'You take rights from yourself',
      notice: (role: ReactNode) => <>Somebody with the role {role} has to give them back.</>,
      text: (role: ReactNode) => (
        <>API tokens of this project that this user made can do no more than a {role} from now on.</>
      ),
      what: 'The role was not changed',
      button: 'Cancel',
      buttonChangeRole: 'Change the role',
      buttonAddProject: 'Add to the project',
    },
  },
  memberships: {
    memberships: {
      title: 'Projects',
      button: 'Add to a project',
      text: 'An owner of the installation may do everything in every project, whatever roles are listed here.',
      memberOfNone: 'Member of no project.',
      ariaLabel: 'Projects of the user',
    },
    membershipRow: {
      ariaLabel: (name: string | number) => `Change role in ${name}`,
      button: 'Change role',
      ariaLabelEndMembership: (name: string | number) => `End membership in ${name}`,
      buttonEnd: 'End',
    },
  },
  newAccountForm: {
    label: 'User name',
    errorUserName: 'This user name is taken.',
    labelEMail: 'E-mail (optional)',
    labelMember: (name: string | number) => `Member of ${name}`,
    labelRole: (name: string | number) => `Role in ${name}`,
    labelOwnerInstallation: 'Owner of the installation',
    description: 'May do everything in every project, and manage accounts and projects.',
    labelPassword: 'Password',
    labelGeneratedShown: 'Generated, and shown once',
    labelTypedHere: 'Typed here',
    labelNewPassword: 'New password',
    what: 'The account was not created',
    button: 'Create the account',
  },
  newAccount: {
    text: (bdi: ReactNode) => <>The account {bdi} is created.</>,
    what: 'password',
    shownOnce: (bdi: ReactNode) => (
      <>
        Tell it to {bdi} in a safe way. Only a hash of it is kept: nobody can show it again, but you can set another. It
        can be changed under Profile after signing in.
      </>
    ),
    button: 'Open the user',
    buttonCreateAnother: 'Create another account',
  },
  rights: {
    onlyOwnersChange: 'Only owners of the installation change the account of one.',
    text: (role: string | number, projectName: string | number) => `The role ${role} in ${projectName} is above yours.`,
    alsoElsewhere: 'This user is also a member of a project where you have no authority.',
  },
  setPassword: {
    setPassword: {
      title: (username: string | number) => `Set a password for ${username}`,
    },
    passwordForm: {
      done: (username: string | number) => `${username} has a new password.`,
      text: (bdi: ReactNode) => (
        <>
          All sessions of {bdi} end at once. Copy the password before you set it: nobody can show it afterwards. API
          tokens go on working.
        </>
      ),
      label: 'New password',
      what: 'The password was not set',
      button: 'Cancel',
      buttonSetPassword: 'Set the password',
    },
  },
  signIn: {
    title: 'Signing in',
    text: (span: ReactNode) => <>Password {span}</>,
    endsSessions: 'A new one ends all sessions of the user.',
    button: 'Set a password',
    textActive: 'Active',
    textDeactivated: 'Deactivated',
    deactivateHint: 'Deactivating shuts the user out at once, and can be undone.',
    activateHint: 'The user cannot sign in; roles and account are kept.',
    buttonDeactivate: 'Deactivate',
    buttonActivate: 'Activate',
    textAccount: (span: ReactNode) => <>Account {span}</>,
    deleteHint: 'Deleting it cannot be undone.',
    buttonDelete: 'Delete',
  },
  switchUser: {
    titleDeactivate: 'Deactivate',
    titleActivate: 'Activate',
    item: 'All sessions of the user end at once; nobody can sign in with the account.',
    tokensRefused: 'API tokens that the user made are refused, in every project, until the user is active again.',
    rolesStay: 'Roles and everything that was made stay.',
    mayAgain:
      'The user may sign in again with the password and the roles of before; API tokens that the user made work again.',
  },
  userColumns: {
    userState: {
      word: 'Active',
      why: 'May sign in',
      wordDeactivated: 'Deactivated',
      whyDeactivated: 'Cannot sign in; API tokens made by this user are refused',
    },
    createUserColumns: {
      headerUsername: 'User name',
      headerEmail: 'E-mail',
      headerProjects: 'Projects',
      headerRole: 'Role',
      headerIsOwner: 'Installation',
      word: 'Owner',
      why: 'May do everything in every project',
      headerActive: 'State',
      headerCreatedAt: 'Created',
      headerUpdatedAt: 'Changed',
    },
  },
  userPage: {
    userPage: {
      link: 'Users',
      title: 'No such user',
      nothingHere: 'There is no such user in this project',
      linkShowAll: 'Show all users',
      empty: 'The account may have been deleted, or the person is no longer a member. The audit log says by whom.',
      titleUser: 'User',
      word: 'Owner',
      why: 'Of the installation: may do everything in every project',
      what: 'The user',
    },
    userBody: {
      title: 'This is you',
      notice: (link: ReactNode) => (
        <>
          Change your password and see your sessions under {link}. Somebody else has to deactivate or delete this
          account.
        </>
      ),
      link: 'Profile',
      titleAccount: 'Account',
      factUserName: 'User name',
      notYours: 'The account is not yours to change',
      titleRecord: 'Record',
      factCreated: 'Created',
      factChanged: 'Changed',
    },
  },
  usersPage: {
    usersPage: {
      title: 'Users',
      leadAll: 'Every account of the installation, with its roles in projects.',
      leadMembers:
        'The people of this project. Owners of the installation may do everything here without being members.',
      button: 'Add a user',
    },
    userList: {
      ariaLabel: 'Users that are shown',
      labelProject: 'Members',
      labelAll: 'Everybody',
      list: 'users',
      searches: 'User name, e-mail',
      title: 'This project has no members yet',
      button: 'Add the first member',
      buttonShowEverybody: 'Show everybody',
      empty: 'Members see and change the project by their role: viewer, editor, admin or owner.',
    },
  },
};
