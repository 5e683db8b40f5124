import type { ReactNode } from 'react';
import { count } from '../../ui/count.ts';

export const texts = {
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
      show: 'Show password',
      wrong: 'The current password is wrong.',
    },
  },
  profilePage: {
    page: {
      title: 'Profile',
      lead: 'Your account, password and sessions.',
      owner: 'Owner',
      whyOwner: 'Owner of the installation: you may do everything in every project',
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
      noProject: 'You are not in a project yet',
      whomToAsk: 'An admin of a project can invite you, and an owner of the installation can add you.',
      list: 'Your projects',
      andMore: (rest: ReactNode) => <>And {rest} more: find them with the project switcher.</>,
    },
    tokens: {
      title: 'API tokens',
      whatFor: (link: ReactNode) => (
        <>Programs use API tokens instead of your password. Each token belongs to a project: {link}</>
      ),
      ofProject: (project: ReactNode) => <>API tokens of {project}</>,
    },
  },
  invitations: {
    title: 'Invitations',
    whatItMeans: 'If you accept, the admins of the project see your user name and your e-mail address.',
    row: (role: ReactNode, inviter: ReactNode, end: ReactNode) => (
      <>
        as {role}, invited by {inviter}, expires {end}
      </>
    ),
    accept: 'Accept',
    acceptOf: (project: string) => `Accept the invitation to ${project}`,
    decline: 'Decline',
    declineOf: (project: string) => `Decline the invitation to ${project}`,
    declineTitle: (project: string) => `Decline the invitation to ${project}?`,
    declineText: 'The project is not notified. It can invite you again after the invitation expires.',
    accepted: (project: string, role: string) => `You are in ${project} with the role ${role}.`,
    declined: (project: string) => `The invitation to ${project} is declined.`,
    notAccepted: 'You did not join the project',
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
      confirm: (sessions: number) =>
        `${count(sessions, 'other session ends', 'other sessions end')} with the next request. This session continues.`,
      endsSession: (agent: string | number, ip: string | number) =>
        `Anyone who uses it (${agent}, ${ip}) has to sign in again. If it was not you, change your password, too.`,
      addressUnknown: 'address unknown',
    },
    list: {
      title: 'Your sessions',
      showAll: (sessions: ReactNode) => <>Show all {sessions}</>,
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
      forThisBrowser: 'Applies to this browser.',
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
