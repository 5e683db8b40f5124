import type { ReactNode } from 'react';

export const profile = {
  emailForm: {
    emailRemoved: 'Your e-mail address is removed.',
    emailChanged: 'Your e-mail address is changed.',
    email: 'E-mail',
    failed: 'The e-mail address was not changed',
    change: 'Change the e-mail address',
  },
  passwordForm: {
    form: {
      done: 'Your password is changed; all other sessions have ended.',
      newPassword: 'New password',
      failed: 'The password was not changed',
      change: 'Change the password',
      endsSessions: 'Ends all your other sessions.',
    },
    currentPassword: {
      label: 'Current password',
      show: 'Show the password',
      wrong: 'The current password is wrong.',
    },
  },
  profilePage: {
    page: {
      title: 'Profile',
      lead: 'Your account, your password and where you are signed in.',
      owner: 'Owner',
      whyOwner: 'Of the installation: you may do everything in every project',
      what: 'Your profile',
      changePassword: 'Change the password',
      changeEmail: 'Change the e-mail address',
      theme: 'Theme',
    },
    account: {
      title: 'Account',
      username: 'User name',
      passwordChanged: 'Password changed',
      since: 'Account since',
    },
    projects: {
      title: 'Projects and roles',
      noProject: 'You are in no project yet',
      whomToAsk: 'An admin of a project or an owner of the installation can add you.',
      list: 'Your projects',
      andMore: (count: ReactNode) => <>And {count} more: the switcher finds them.</>,
    },
    tokens: {
      title: 'API tokens',
      whatFor: (link: ReactNode) => (
        <>Programs use API tokens in place of your password. Each belongs to a project: {link}</>
      ),
      ofProject: (project: ReactNode) => <>API tokens of {project}</>,
    },
  },
  sessions: {
    section: {
      othersEnded: 'All other sessions have ended.',
      sessionEnded: 'The session has ended.',
      title: 'Sessions',
      endOthers: 'End all others',
      what: 'Your sessions',
      endOthersTitle: 'End all other sessions?',
      endTitle: 'End the session?',
      end: 'End',
      confirm: (sessions: string | number) => `${sessions} with the next request. This one goes on.`,
      endsOneOther: 'One other session ends',
      endsOthers: (count: string | number) => `${count} other sessions end`,
      endsSession: (agent: string | number, ip: string | number) =>
        `Whoever uses it (${agent}, ${ip}) has to sign in again. If that was not you, change your password, too.`,
      addressUnknown: 'address unknown',
    },
    list: {
      title: 'Your sessions',
      showAll: (count: ReactNode) => <>Show all {count}</>,
    },
    row: {
      lastUsed: (lastIp: ReactNode, time: ReactNode) => (
        <>
          {lastIp} · last used {time}
        </>
      ),
      signedInAndEnds: (time: ReactNode, time2: ReactNode) => (
        <>
          signed in {time} · ends {time2}
        </>
      ),
      current: 'This session',
      stillSignedIn: 'You are still signed in',
      signOut: 'Sign out',
      endSession: (name: string | number, ip: string | number) => `End the session ${name}, ${ip}`,
      end: 'End',
    },
  },
  themeChoice: {
    schemes: {
      light: 'Light',
      dark: 'Dark',
      auto: 'System',
    },
    theme: {
      title: 'Theme',
      forThisBrowser: 'For this browser.',
    },
  },
  userAgent: {
    browsers: {
      edge: 'Edge',
      opera: 'Opera',
      firefox: 'Firefox',
      chrome: 'Chrome',
      safari: 'Safari',
    },
    systems: {
      windows: 'Windows',
      android: 'Android',
      linux: 'Linux',
    },
    nameAgent: {
      unknown: 'Unknown program',
    },
  },
};
