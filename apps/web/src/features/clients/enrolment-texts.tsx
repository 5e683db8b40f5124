import type { ReactNode } from 'react';

export const texts = {
  enrolCommand: {
    command: {
      run: 'Run this on the host:',
      copied: 'command',
      title: 'Shown only now',
      shownOnce:
        'Only a hash of the token is stored. After you close this, nobody can see the command again. Anyone who has it can enrol one host in the project until it expires.',
      naming: (option: ReactNode) => (
        <>
          The client is named after its host; add {option} for another name. The command runs the agent in the
          foreground until Ctrl-C. The token is only needed for the first start.
        </>
      ),
      nameOption: '--name NAME',
      agentsDial: 'Agents connect to',
      authority: 'CA fingerprint (SHA-256)',
    },
    progress: {
      createAnother: 'Create another token',
      expired: 'The token has expired',
      expiredText: 'No host used it in time.',
      withdrawn: 'The token was revoked',
      withdrawnText: 'No host can join with it.',
      waiting: 'Waiting for the host',
      expiresIn: (left: ReactNode) => <>Expires in {left}</>,
    },
    joined: {
      connected: 'The client is connected',
      joined: 'The host has joined',
      connectedText: 'Services can be deployed to it now.',
      joinedText: 'Its agent has a certificate and is connecting.',
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
          A host joins project {project} with a single-use token. You get a command to run on the host. The agent then
          creates its key, gets a certificate and connects.
        </>
      ),
      note: 'Note',
      noteHint: 'What the token is for.',
      noteExample: 'edge in Oslo',
      lifetime: 'Lifetime',
      lifetimeHint: 'The host must join within this time.',
      failed: 'The token was not created',
      create: 'Create token',
    },
    hostNeeds: {
      title: 'What the host needs',
      program: (name: ReactNode) => <>Linux, and the program {name} (Node 20 or newer)</>,
      programName: 'flotilla',
      wayToController:
        'Network access to the agent port of the controller, 8098 by default. No incoming connections are needed.',
      envoyBinary: (searchPath: ReactNode) => (
        <>
          An Envoy binary: the agent uses the one on {searchPath} or in its cache, or fetches the version that a service
          needs
        </>
      ),
      searchPath: 'PATH',
    },
  },
  enrolmentTokens: {
    states: {
      open: 'Open',
      void: 'Invalid',
      used: 'Used',
      expired: 'Expired',
      all: 'All',
    },
    list: {
      name: 'enrolment tokens',
      shown: 'Tokens to show',
      emptyTitle: 'No enrolment tokens yet',
      enrol: 'Enrol a client',
      empty: 'A token lets one host join the project. It works once, within the lifetime that you choose.',
    },
    withdraw: {
      title: 'Revoke the token?',
      action: 'Revoke',
      done: 'The token is revoked.',
      confirm: 'No host can join with this token from now on. Clients that have already joined are not affected.',
      confirmOf: (note: ReactNode) => (
        <>{note}: no host can join with this token from now on. Clients that have already joined are not affected.</>
      ),
    },
    rotate: {
      action: 'Rotate',
      actionOf: (note: string) => `Rotate the token “${note}”`,
      actionUnnamed: 'Rotate the token',
      what: 'The enrolment token',
      title: 'Rotate the secret of the token',
      gone: 'This token is no longer open.',
      whatStays: 'The token keeps its expiry and still lets one host join, with either secret while both are valid.',
      whatStaysOf: (note: ReactNode) => (
        <>{note}: the token keeps its expiry and still lets one host join, with either secret while both are valid.</>
      ),
    },
    columns: {
      note: 'Note',
      prefix: 'Prefix',
      olderHolds: (prefix: string) => `The previous secret ${prefix}… is still valid`,
      ofToken: 'the token',
      status: 'Status',
      client: 'Client',
      expires: 'Expires',
      created: 'Created',
      by: 'By',
      actions: 'Actions',
      withdrawNamed: (note: string | number) => `Revoke the token “${note}”`,
      withdrawToken: 'Revoke the token',
      withdraw: 'Revoke',
    },
    state: {
      open: 'Open',
      whyOpen: 'A host can join with it',
      void: 'Invalid',
      whyVoid: 'Its creator no longer has the right to enrol hosts, so no host can join with it. Create a new token',
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
