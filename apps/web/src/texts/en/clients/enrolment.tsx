import type { ReactNode } from 'react';

export const enrolment = {
  enrolCommand: {
    command: {
      run: 'Run this on the host:',
      copied: 'command',
      title: 'Shown only now',
      shownOnce:
        'Only a hash of the token is kept: when this is closed, nobody can show the command again. Whoever has it can join one host to the project until it expires.',
      naming: (option: ReactNode) => (
        <>
          The client is called as its host; add {option} for another name. The command runs the agent in the foreground
          until Ctrl-C; the token is needed for the first start only.
        </>
      ),
      nameOption: '--name NAME',
      agentsDial: 'Agents dial',
      authority: 'Authority (SHA-256)',
    },
    progress: {
      createAnother: 'Create another token',
      expired: 'The token has expired',
      expiredText: 'No host has joined with it in time.',
      withdrawn: 'The token was withdrawn',
      withdrawnText: 'No host can join with it any more.',
      waiting: 'Waiting for the host',
      expiresIn: (left: ReactNode) => <>Expires in {left}</>,
    },
    joined: {
      connected: 'The client is connected',
      joined: 'The host has joined',
      connectedText: 'Services can be deployed to it now.',
      joinedText: 'Its agent has a certificate and is about to connect.',
      open: (client: ReactNode) => <>Open {client}</>,
      client: (name: ReactNode) => <> {name}</>,
      theClient: 'the client',
    },
  },
  enrolDrawer: {
    drawer: {
      title: 'Enrol a client',
    },
    form: {
      whatHappens: (project: ReactNode) => (
        <>
          A host joins project {project} with a token that works once. You get one command to run on the host; there the
          agent makes its key, gets a certificate and connects.
        </>
      ),
      note: 'Note',
      noteHint: 'For whom or what the token is; only people see it.',
      noteExample: 'edge in Oslo',
      lifetime: 'Lifetime',
      lifetimeHint: 'Until when the host must have joined.',
      failed: 'The token was not created',
      create: 'Create token',
    },
    hostNeeds: {
      title: 'What the host needs',
      program: (name: ReactNode) => <>Linux, and the program {name} (Node 20 or newer)</>,
      programName: 'flotilla',
      wayToController: "A way to the controller's port for agents, 8098 unless it was changed. Nothing dials the host.",
      envoyBinary: (searchPath: ReactNode) => (
        <>
          An Envoy binary: the agent takes the one on {searchPath} or in its cache, else fetches the version that a
          service asks for
        </>
      ),
      searchPath: 'PATH',
    },
  },
  enrolmentTokens: {
    states: {
      open: 'Open',
      void: 'Void',
      used: 'Used',
      expired: 'Expired',
      all: 'All',
    },
    list: {
      name: 'enrolment tokens',
      shown: 'Tokens that are shown',
      emptyTitle: 'No enrolment token yet',
      enrol: 'Enrol a client',
      empty: 'A token lets one host join the project. It works once, and only for the time that you choose.',
    },
    withdraw: {
      title: 'Withdraw the token?',
      action: 'Withdraw',
      done: 'The token is withdrawn.',
      confirm: 'No host can join with this token from now on. Nothing that has joined already is touched.',
      confirmOf: (note: ReactNode) => (
        <>{note}: no host can join with this token from now on. Nothing that has joined already is touched.</>
      ),
    },
    rotate: {
      action: 'Rotate',
      actionOf: (note: string) => `Rotate the token “${note}”`,
      actionUnnamed: 'Rotate the token',
      what: 'The enrolment token',
      title: 'Give the token a new secret',
      gone: 'There is no such open token in this list any more.',
      whatStays: 'The token keeps its end and still admits one host. While both secrets hold, either uses it up.',
      whatStaysOf: (note: ReactNode) => (
        <>{note}: the token keeps its end and still admits one host. While both secrets hold, either uses it up.</>
      ),
    },
    columns: {
      note: 'Note',
      prefix: 'Begins with',
      olderHolds: (prefix: string) => `The older secret, ${prefix}…, still holds`,
      ofToken: 'the token',
      status: 'Status',
      client: 'Client',
      expires: 'Expires',
      created: 'Created',
      by: 'By',
      actions: 'Actions',
      withdrawNamed: (note: string | number) => `Withdraw the token “${note}”`,
      withdrawToken: 'Withdraw the token',
      withdraw: 'Withdraw',
    },
    state: {
      open: 'Open',
      whyOpen: 'A host can join with it',
      void: 'Void',
      whyVoid: 'Whoever made it may let no hosts in any more: no host can join with it. Make a new one',
      used: 'Used',
      whyUsed: (time: ReactNode) => <>A host joined, {time}</>,
      expired: 'Expired',
      whyExpired: 'No host joined in time',
    },
  },
  enrolment: {
    lifetimes: {
      quarterHour: '15 minutes',
      hour: '1 hour',
      fourHours: '4 hours',
      day: '1 day',
      week: '7 days',
    },
    formatLeft: {
      hoursAndMinutes: (hours: string | number, minutes: string | number) => `${hours} h ${minutes} min`,
    },
  },
};
