import type { ReactNode } from 'react';

export const texts = {
  list: {
    role: 'Role',
    realm: 'Sign-in',
    state: 'State',
    active: 'Active',
    deactivated: 'Deactivated',
    owner: 'Owner of the installation',
    yes: 'Yes',
    no: 'No',
  },
  elsewhere: 'This account signs in through a directory or provider. Change its name and e-mail address there.',
  deletion: {
    what: 'Linked data',
    nothing: 'The account has no linked data.',
    gone: 'Deleted with the account, permanently:',
    ends: 'Kept, but inactive until another user takes it over:',
    kinds: {
      memberships: 'memberships',
      sessions: 'sessions',
      groups: 'group memberships',
      permissions: 'permissions',
      passkeys: 'passkeys',
      api_tokens: 'API tokens',
      enrolment_tokens: 'enrolment tokens',
      jobs: 'unfinished jobs',
      schedules: 'schedules',
    },
    more: (count: number) => `and ${count.toLocaleString('en')} more`,
    stays: 'Everything the user created or changed is kept, and so is the audit log.',
    instead: 'To block a user temporarily, deactivate the account instead.',
  },
  sessions: {
    title: 'Sessions',
    what: 'The sessions',
    none: 'No active sessions.',
    endAll: 'End all',
    end: 'End',
    endLabel: (device: string, address: string) => `End the session ${device}, ${address}`,
    endTitle: 'End the session?',
    endAllTitle: (name: string) => `End all sessions of ${name}?`,
    endText: (device: string, address: string) => `Anyone who uses it (${device}, ${address}) has to sign in again.`,
    endAllText:
      'Every browser and program that is signed in as this user is signed out with its next request. API tokens keep working.',
    ended: 'The session has ended.',
    endedAll: 'All sessions of the user have ended.',
    unknownAddress: 'address unknown',
    lastUsed: 'last used',
    signedIn: 'signed in',
    with: (factors: string) => `with ${factors}`,
    password: 'password only',
  },
  unlock: {
    label: 'Failed sign-ins',
    hint: 'After many failures, further attempts are delayed. Unlock to reset them.',
    action: 'Unlock',
    done: (name: string) => `${name} can sign in again.`,
    failed: 'The user was not unlocked',
  },
  factor: {
    label: 'Second factor',
    hint: 'For a user who has lost it.',
    action: 'Reset',
    title: (name: string) => `Reset the second factor of ${name}?`,
    text: 'Codes, backup codes and passkeys stop working, and all sessions of the user end. Make sure that the request really comes from the user.',
    done: (name: string) => `${name} no longer has a second factor.`,
  },
  accountForm: {
    labels: {
      username: 'User name',
      isOwner: 'Owner of the installation',
    },
    form: {
      done: 'The account is changed.',
      failed: 'The account was not changed',
    },
  },
  addMember: {
    done: (username: string | number, role: string | number) => `${username} is a member with the role ${role}.`,
    username: 'User name',
    invited: (username: string | number, role: string | number) => `${username} is invited with the role ${role}.`,
    usernameHint: (name: string | number) => `An existing user who is not a member of ${name}.`,
    inviteHint:
      'If the account belongs to this project, it becomes a member at once. Any other account gets an invitation, to be accepted in its profile.',
    unknownUsername: 'No user has this name',
    unknownUsernameHint: 'Check the spelling, or create an account.',
    createAccount: 'Create a new account',
    alreadyMember: 'Already a member',
    alreadyMemberText: (username: ReactNode) => <>{username} is in this project. Open the user to change the role.</>,
    failed: 'The user was not added',
    add: 'Add to the project',
    invite: 'Add or invite',
  },
  invitations: {
    title: 'Open invitations',
    whatIsShown:
      'An invitation is open until it is accepted or expires. It does not reveal whether an account with this name exists.',
    expires: (inviter: ReactNode, end: ReactNode) => (
      <>
        invited by {inviter}, expires {end}
      </>
    ),
    withdraw: 'Withdraw',
    withdrawOf: (username: string) => `Withdraw the invitation of ${username}`,
    question: (username: string) => `Withdraw the invitation of ${username}?`,
    whatHappens: 'It can no longer be accepted. You can invite the account again.',
    done: (username: string) => `The invitation of ${username} is withdrawn.`,
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
    youLoseAccess: 'You lose access to the project at once.',
    losesAccess: (username: ReactNode) => <>{username} loses access to the project at once. The account stays.</>,
    tokensRefused: (maker: ReactNode) => <>API tokens of this project that {maker} created are rejected from now on.</>,
    theUser: 'the user',
    whatWasMadeStays: 'Everything they created or changed is kept.',
  },
  lately: {
    everywhere: 'Recent activity',
    here: 'Recent activity in this project',
    auditLog: 'Audit log',
    what: 'The audit log',
    nothing: 'No activity recorded.',
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
      takesFromYourself: 'You are reducing your own rights',
      whoGivesBack: (role: ReactNode) => <>Only someone with the role {role} can restore them.</>,
      tokensLimited: (role: ReactNode) => (
        <>From now on, API tokens that this user created in this project can do no more than a {role}.</>
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
      ownerMayAll: 'An owner of the installation may do everything in every project, regardless of the roles below.',
      memberOfNone: 'Not a member of any project.',
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
    generatedPassword: 'Generate, show once',
    typedPassword: 'Enter manually',
    newPassword: 'New password',
    failed: 'The account was not created',
    create: 'Create the account',
  },
  newAccount: {
    created: (username: ReactNode) => <>The account {username} is created.</>,
    secret: 'password',
    shownOnce: (username: ReactNode) => (
      <>
        Give it to {username} over a secure channel. Only a hash of it is stored: nobody can see it again, but you can
        set another. The user can change it under Profile.
      </>
    ),
    openUser: 'Open the user',
    createAnother: 'Create another account',
  },
  rights: {
    onlyOwnersChange: 'Only owners of the installation can change the account of an owner.',
    roleAboveYours: (role: string | number, projectName: string | number) =>
      `The role ${role} in ${projectName} is above yours.`,
    notOfThisProject:
      'This account does not belong to this project. You can change its role here or end its membership. Only its own project or an owner of the installation can change the account.',
  },
  setPassword: {
    dialog: {
      title: (username: string | number) => `Set a password for ${username}`,
    },
    form: {
      done: (username: string | number) => `${username} has a new password.`,
      whatHappens: (username: ReactNode) => (
        <>
          All sessions of {username} end at once. Copy the password before you set it: nobody can see it afterwards. API
          tokens keep working.
        </>
      ),
      newPassword: 'New password',
      failed: 'The password was not set',
      set: 'Set the password',
    },
  },
  signIn: {
    title: 'Sign-in',
    password: (hint: ReactNode) => <>Password {hint}</>,
    endsSessions: 'A new password ends all sessions of the user.',
    setPassword: 'Set a password',
    active: 'Active',
    deactivated: 'Deactivated',
    deactivateHint: 'Deactivating blocks the user at once. You can undo it.',
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
    sessionsEnd: 'All sessions of the user end at once, and the account cannot sign in.',
    tokensRefused: 'API tokens that the user created are rejected in every project until the user is active again.',
    rolesStay: 'Roles and everything the user created are kept.',
    mayAgain:
      'The user can sign in again with the same password and roles. API tokens that the user created work again.',
  },
  userColumns: {
    state: {
      active: 'Active',
      whyActive: 'Can sign in',
      deactivated: 'Deactivated',
      whyDeactivated: 'Cannot sign in; API tokens created by this user are rejected',
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
      missing: {
        pageTitle: 'No such user',
        title: 'There is no such user in this project',
        showAll: 'Show all users',
      },
      whyMissing: (auditLog: ReactNode) => (
        <>The account may have been deleted, or the user is no longer a member. See the {auditLog}.</>
      ),
      title: 'User',
      owner: 'Owner',
      whyOwner: 'Owner of the installation: may do everything in every project',
      what: 'The user',
    },
    body: {
      isYou: 'This is you',
      isYouText: (link: ReactNode) => (
        <>Change your password and see your sessions under {link}. You cannot deactivate or delete your own account.</>
      ),
      profile: 'Profile',
      account: 'Account',
      username: 'User name',
      notYours: 'You cannot change this account',
      record: 'Details',
      home: 'Belongs to',
      homeInstallation: 'the installation',
      homeElsewhere: 'not this project',
      created: 'Created',
      changed: 'Changed',
    },
  },
  usersPage: {
    page: {
      title: 'Users',
      leadAll: 'All accounts of the installation and their project roles.',
      leadMembers:
        'The members of this project. Owners of the installation may do everything here without being members.',
      add: 'Add a user',
    },
    list: {
      shown: 'Users to show',
      members: 'Members',
      everybody: 'Everyone',
      name: 'users',
      searches: 'User name, e-mail',
      emptyTitle: 'This project has no members yet',
      addFirst: 'Add the first member',
      showEverybody: 'Show everyone',
      empty: 'The role of a member decides what they can see and change: viewer, editor, admin or owner.',
    },
  },
};
