import type { ReactNode } from 'react';

export const profile = {
  emailForm: {
    done: 'Your e-mail address is removed.',
    emailChanged: 'Your e-mail address is changed.',
    label: 'E-mail',
    what: 'The e-mail address was not changed',
    button: 'Change the e-mail address',
  },
  passwordForm: {
    passwordForm: {
      done: 'Your password is changed; all other sessions have ended.',
      label: 'New password',
      what: 'The password was not changed',
      button: 'Change the password',
      text: 'Ends all your other sessions.',
    },
    currentPassword: {
      label: 'Current password',
      ariaLabel: 'Show the password',
      errorCurrentPassword: 'The current password is wrong.',
    },
  },
  profilePage: {
    profilePage: {
      title: 'Profile',
      lead: 'Your account, your password and where you are signed in.',
      word: 'Owner',
      why: 'Of the installation: you may do everything in every project',
      what: 'Your profile',
      titleChangePassword: 'Change the password',
      changeEmail: 'Change the e-mail address',
      titleTheme: 'Theme',
    },
    account: {
      title: 'Account',
      factUserName: 'User name',
      factPasswordChanged: 'Password changed',
      factAccountSince: 'Account since',
    },
    projects: {
      title: 'Projects and roles',
      noProject: 'You are in no project yet',
      empty: 'An admin of a project or an owner of the installation can add you.',
      ariaLabel: 'Your projects',
      text: (count: ReactNode) => <>And {count} more: the switcher finds them.</>,
    },
    tokens: {
      title: 'API tokens',
      text: (link: ReactNode) => (
        <>Programs use API tokens in place of your password. Each belongs to a project: {link}</>
      ),
      link: (bdi: ReactNode) => <>API tokens of {bdi}</>,
    },
  },
  sessions: {
    sessions: {
      done: 'All other sessions have ended.',
      sessionEnded: 'The session has ended.',
      title: 'Sessions',
      button: 'End all others',
      what: 'Your sessions',
      titleEndAll: 'End all other sessions?',
      titleEndSession: 'End the session?',
      actionEnd: 'End',
      confirm: (part: string | number) => `${part} with the next request. This one goes on.`,
      endsOneOther: 'One other session ends',
      text: (count: string | number) => `${count} other sessions end`,
      endsSession: (agent: string | number, ip: string | number) =>
        `Whoever uses it (${agent}, ${ip}) has to sign in again. If that was not you, change your password, too.`,
      textAddressUnknown: 'address unknown',
    },
    sessionList: {
      ariaLabel: 'Your sessions',
      button: (count: ReactNode) => <>Show all {count}</>,
    },
    sessionRow: {
      text: (lastIp: ReactNode, time: ReactNode) => (
        <>
          {lastIp} · last used {time}
        </>
      ),
      textAddressUnknown: 'address unknown',
      signedInAndEnds: (time: ReactNode, time2: ReactNode) => (
        <>
          signed in {time} · ends {time2}
        </>
      ),
      word: 'This session',
      failed: 'You are still signed in',
      button: 'Sign out',
      ariaLabel: (name: string | number, ip: string | number) => `End the session ${name}, ${ip}`,
      buttonEnd: 'End',
    },
  },
  themeChoice: {
    schemes: {
      labelLight: 'Light',
      labelDark: 'Dark',
      labelAuto: 'System',
    },
    theme: {
      ariaLabel: 'Theme',
      text: 'For this browser.',
    },
  },
  userAgent: {
    browsers: {
      factEdge: 'Edge',
      factOpera: 'Opera',
      factFirefox: 'Firefox',
      factChrome: 'Chrome',
      factSafari: 'Safari',
    },
    systems: {
      factWindows: 'Windows',
      factAndroid: 'Android',
      factLinux: 'Linux',
    },
    nameAgent: {
      textUnknownProgram: 'Unknown program',
    },
  },
};
