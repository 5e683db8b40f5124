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
      enrolment_tokens: 'enrolment tokens',
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
    form: {
      done: 'The account is changed.',
      changedMeanwhile: 'Somebody else has changed this account meanwhile',
      changedMeanwhileText: 'What is shown has their change and yours together. Look at it and save once more.',
      failed: 'The account was not changed',
      save: 'Save',
      discard: 'Discard',
    },
  },
  addMember: {
    done: (username: string | number, role: string | number) => `${username} is a member with the role ${role}.`,
    username: 'User name',
    usernameHint: (name: string | number) => `Of somebody who has an account but is not in ${name} yet.`,
    unknownUsername: 'Nobody has this user name',
    unknownUsernameHint: 'Check how it is written, or create an account.',
    createAccount: 'Create a new account',
    alreadyMember: 'Already a member',
    alreadyMemberText: (username: ReactNode) => <>{username} is in this project. Open the user to change the role.</>,
    failed: 'The user was not added',
    add: 'Add to the project',
  },
  addUserDrawer: {
    drawer: {
      title: 'Add a user',
    },
    choice: {
      whoIsAdded: 'Who is added',
      hasAccount: 'Has an account',
      newAccount: 'New account',
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
    youLoseAccess: 'You lose access to the project with the next click.',
    losesAccess: (username: ReactNode) => <>{username} loses access to the project at once. The account stays.</>,
    tokensRefused: (maker: ReactNode) => <>API tokens of this project that {maker} made are refused from now on.</>,
    theUser: 'the user',
    whatWasMadeStays: 'What was made or changed stays as it is.',
  },
  lately: {
    everywhere: 'Done lately',
    here: 'Done lately in this project',
    auditLog: 'Audit log',
    what: 'The audit log',
    nothing: 'Nothing is on record.',
  },
  membershipDialog: {
    dialog: {
      addTitle: 'Add to a project',
      roleTitle: (projectName: string | number) => `Role in ${projectName}`,
    },
    form: {
      done: (username: string | number, role: string | number) => `${username} has the role ${role}.`,
      project: 'Project',
      role: 'Role',
      takesFromYourself: 'You take rights from yourself',
      whoGivesBack: (role: ReactNode) => <>Somebody with the role {role} has to give them back.</>,
      tokensLimited: (role: ReactNode) => (
        <>API tokens of this project that this user made can do no more than a {role} from now on.</>
      ),
      failed: 'The role was not changed',
      changeRole: 'Change the role',
      add: 'Add to the project',
    },
  },
  memberships: {
    section: {
      title: 'Projects',
      add: 'Add to a project',
      ownerMayAll: 'An owner of the installation may do everything in every project, whatever roles are listed here.',
      memberOfNone: 'Member of no project.',
      list: 'Projects of the user',
    },
    row: {
      changeRoleIn: (name: string | number) => `Change role in ${name}`,
      changeRole: 'Change role',
      endIn: (name: string | number) => `End membership in ${name}`,
      end: 'End membership',
    },
  },
  newAccountForm: {
    username: 'User name',
    usernameTaken: 'This user name is taken.',
    email: 'E-mail (optional)',
    memberOf: (name: string | number) => `Member of ${name}`,
    roleIn: (name: string | number) => `Role in ${name}`,
    owner: 'Owner of the installation',
    ownerHint: 'May do everything in every project, and manage accounts and projects.',
    password: 'Password',
    generatedPassword: 'Generated, and shown once',
    typedPassword: 'Typed here',
    newPassword: 'New password',
    failed: 'The account was not created',
    create: 'Create the account',
  },
  newAccount: {
    created: (username: ReactNode) => <>The account {username} is created.</>,
    secret: 'password',
    shownOnce: (username: ReactNode) => (
      <>
        Tell it to {username} in a safe way. Only a hash of it is kept: nobody can show it again, but you can set
        another. It can be changed under Profile after signing in.
      </>
    ),
    openUser: 'Open the user',
    createAnother: 'Create another account',
  },
  rights: {
    onlyOwnersChange: 'Only owners of the installation change the account of one.',
    roleAboveYours: (role: string | number, projectName: string | number) =>
      `The role ${role} in ${projectName} is above yours.`,
    alsoElsewhere: 'This user is also a member of a project where you have no authority.',
  },
  setPassword: {
    dialog: {
      title: (username: string | number) => `Set a password for ${username}`,
    },
    form: {
      done: (username: string | number) => `${username} has a new password.`,
      whatHappens: (username: ReactNode) => (
        <>
          All sessions of {username} end at once. Copy the password before you set it: nobody can show it afterwards.
          API tokens go on working.
        </>
      ),
      newPassword: 'New password',
      failed: 'The password was not set',
      set: 'Set the password',
    },
  },
  signIn: {
    title: 'Signing in',
    password: (hint: ReactNode) => <>Password {hint}</>,
    endsSessions: 'A new one ends all sessions of the user.',
    setPassword: 'Set a password',
    active: 'Active',
    deactivated: 'Deactivated',
    deactivateHint: 'Deactivating shuts the user out at once, and can be undone.',
    activateHint: 'The user cannot sign in; roles and account are kept.',
    deactivate: 'Deactivate',
    activate: 'Activate',
    account: (hint: ReactNode) => <>Account {hint}</>,
    deleteHint: 'Deleting it cannot be undone.',
    delete: 'Delete',
  },
  switchUser: {
    deactivate: 'Deactivate',
    activate: 'Activate',
    sessionsEnd: 'All sessions of the user end at once; nobody can sign in with the account.',
    tokensRefused: 'API tokens that the user made are refused, in every project, until the user is active again.',
    rolesStay: 'Roles and everything that was made stay.',
    mayAgain:
      'The user may sign in again with the password and the roles of before; API tokens that the user made work again.',
  },
  userColumns: {
    state: {
      active: 'Active',
      whyActive: 'May sign in',
      deactivated: 'Deactivated',
      whyDeactivated: 'Cannot sign in; API tokens made by this user are refused',
    },
    columns: {
      username: 'User name',
      email: 'E-mail',
      projects: 'Projects',
      role: 'Role',
      installation: 'Installation',
      owner: 'Owner',
      whyOwner: 'May do everything in every project',
      state: 'State',
      created: 'Created',
      changed: 'Changed',
    },
  },
  userPage: {
    page: {
      toUsers: 'Users',
      missingTitle: 'No such user',
      missing: 'There is no such user in this project',
      showAll: 'Show all users',
      whyMissing: (auditLog: ReactNode) => (
        <>The account may have been deleted, or the person is no longer a member. The {auditLog} says by whom.</>
      ),
      title: 'User',
      owner: 'Owner',
      whyOwner: 'Of the installation: may do everything in every project',
      what: 'The user',
    },
    body: {
      isYou: 'This is you',
      isYouText: (link: ReactNode) => (
        <>
          Change your password and see your sessions under {link}. Somebody else has to deactivate or delete this
          account.
        </>
      ),
      profile: 'Profile',
      account: 'Account',
      username: 'User name',
      notYours: 'The account is not yours to change',
      record: 'Record',
      created: 'Created',
      changed: 'Changed',
    },
  },
  usersPage: {
    page: {
      title: 'Users',
      leadAll: 'Every account of the installation, with its roles in projects.',
      leadMembers:
        'The people of this project. Owners of the installation may do everything here without being members.',
      add: 'Add a user',
    },
    list: {
      shown: 'Users that are shown',
      members: 'Members',
      everybody: 'Everybody',
      name: 'users',
      searches: 'User name, e-mail',
      emptyTitle: 'This project has no members yet',
      addFirst: 'Add the first member',
      showEverybody: 'Show everybody',
      empty: 'Members see and change the project by their role: viewer, editor, admin or owner.',
    },
  },
};
