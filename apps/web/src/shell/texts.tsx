import type { ReactNode } from 'react';

export const texts = {
  settingsAreas: {
    signingIn: 'Sign-in',
    security: 'Security',
    connections: 'Connections',
    operation: 'Operations',
  },
  connectionState: {
    state: {
      connecting: 'Connecting',
      connected: 'Connected',
      whyConnected: 'This page updates live.',
      reconnecting: 'Reconnecting',
      whyReconnecting: 'The controller answers, but live updates are interrupted. Reconnecting.',
      offline: 'Offline',
      whyOffline: 'The controller does not answer. Retrying every few seconds.',
    },
    lost: {
      whatGoesOn: (time: ReactNode) => (
        <>
          The controller last answered {time}. Proxies keep running, your input is kept, and this page reconnects
          automatically.
        </>
      ),
    },
  },
  frame: {
    skipToContent: 'Skip to content',
    navigation: 'Navigation',
    toStart: 'Flotilla, home',
    product: 'Flotilla',
    openPalette: 'Search or run a command',
    paletteKeys: 'Ctrl K',
    mainNavigation: 'Main',
  },
  gate: {
    loading: 'Loading',
    title: 'The controller does not answer',
    tryAgain: 'Try again',
    proxiesRunOn: 'It served this page a moment ago. Proxies keep running with their last configuration.',
  },
  areas: {
    configuration: 'Configuration',
    security: 'Security',
    administration: 'Administration',
    installation: 'Installation',
  },
  pageStates: {
    failed: {
      title: 'This page failed',
      what: 'This page could not be shown',
      otherPagesWork: 'Other pages work.',
      reload: 'Reload',
    },
    missing: {
      title: 'Page not found',
      nothingHere: 'There is no page at this address',
      toStart: 'Go to overview',
      whyMissing: 'The link may be outdated, or the item was deleted or belongs to another project.',
    },
  },
  entries: {
    account: {
      light: 'Use the light theme',
      dark: 'Use the dark theme',
      auto: 'Use the theme of the system',
      themeFinds: 'theme colour color mode appearance light dark system',
      signOut: 'Sign out',
      signOutFinds: 'logout log off leave exit',
      shortcuts: 'Keyboard shortcuts',
      shortcutsFinds: 'keys hotkeys help',
      openApi: 'API description (OpenAPI)',
      openApiFinds: 'docs documentation help reference rest swagger',
    },
    operationFinds: {
      deploy: ['rollout', 'install'],
      version: ['downgrade', 'envoy', 'release'],
      status: ['check', 'health'],
    } as Readonly<Record<string, readonly string[]>>,
    serviceTabs: {
      errors: ['Errors', 'errors', 'problems', 'failures'],
      logs: ['Logs', 'logs'],
      nodes: ['Nodes', 'nodes'],
    } as Readonly<Record<string, readonly [label: string, ...words: string[]]>>,
    onService: (act: string, service: string) => `${act}: ${service}`,
    groups: {
      places: 'Go to',
      actions: 'Actions',
      account: 'Account and help',
      names: 'Names',
      settings: 'Settings',
      similar: 'Similar names',
    },
    recentlyChanged: 'Recently changed',
    toPlaces: {
      settings: 'Settings',
      projectSettings: 'Project settings',
      settingsFinds: (words: string | number) => `configure ${words}`,
    },
  },
  palette: {
    title: 'Search and commands',
    whatToType: 'Search for a name, a page or an action',
    results: 'Results',
    nothingFound: (typed: string) => `No results for “${typed}”.`,
    namesFailed: (message: ReactNode) => <>Names cannot be searched at the moment: {message}</>,
    arrowsChoose: '↑↓ choose',
    enterOpens: 'Enter opens',
    escCloses: 'Esc closes',
  },
  profileMenu: {
    accountOf: (username: string | number) => `Account of ${username}`,
    profile: 'Profile and sessions',
    stillSignedIn: 'You are still signed in',
    signOut: 'Sign out',
  },
  projectFrame: {
    title: 'No such project',
    noProject: 'You are not in a project with this name',
    whyNoProject: 'It may have been renamed or deleted, or you are no longer a member.',
    toOwnProject: 'Go to a project of yours',
    closedTitle: 'A second factor is required',
    closed: (name: string) => `${name} requires a second factor`,
    closedText:
      'You signed in without one. Set one up in your profile to open this project. If you already have one, sign out and sign in again with it.',
    toProfile: 'Open the profile',
  },
  projectSwitcher: {
    chooseAnother: (name: string | number) => `Project ${name}, choose another`,
    noneChooseAnother: 'No project, choose another',
    none: 'No project',
    findProject: 'Find a project',
    projects: 'Projects',
    notFound: 'No such project',
  },
  sessionEnded: {
    title: 'Your session has ended',
    text: 'Sign in again to continue. This page keeps everything you typed.',
    signInAsAnother: 'Sign in as another user and leave this page',
  },
  settingsFrame: {
    title: 'Settings',
  },
  start: {
    title: 'Welcome',
    noProject: 'You are not in a project yet',
    whomToAsk: 'Ask an owner or admin of a project to add you as a member.',
  },
  themeToggle: {
    useTheme: (other: string | number) => `Use the ${other} theme`,
  },
};
