import type { ReactNode } from 'react';

export const enrolment = {
  enrolCommand: {
    enrolCommand: {
      text: 'Run this on the host:',
      what: 'command',
      title: 'Shown only now',
      notice:
        'Only a hash of the token is kept: when this is closed, nobody can show the command again. Whoever has it can join one host to the project until it expires.',
      textClientCalled: (span: ReactNode) => (
        <>
          The client is called as its host; add {span} for another name. The command runs the agent in the foreground
          until Ctrl-C; the token is needed for the first start only.
        </>
      ),
      textNameName: '--name NAME',
      factAgentsDial: 'Agents dial',
      factAuthoritySha: 'Authority (SHA-256)',
    },
    progress: {
      button: 'Create another token',
      title: 'The token has expired',
      text: 'No host has joined with it in time.',
      titleTokenWithdrawn: 'The token was withdrawn',
      textNoHost: 'No host can join with it any more.',
      word: 'Waiting for the host',
      textExpires: (left: ReactNode) => <>Expires in {left}</>,
    },
    joined: {
      titleClientConnected: 'The client is connected',
      titleHostJoined: 'The host has joined',
      textServicesCan: 'Services can be deployed to it now.',
      textAgentCertificate: 'Its agent has a certificate and is about to connect.',
      button: (bdi: ReactNode) => <>Open {bdi}</>,
      text: (name: ReactNode) => <> {name}</>,
      textClient: 'the client',
    },
  },
  enrolDrawer: {
    enrolDrawer: {
      title: 'Enrol a client',
    },
    enrolForm: {
      text: (bdi: ReactNode) => (
        <>
          A host joins project {bdi} with a token that works once. You get one command to run on the host; there the
          agent makes its key, gets a certificate and connects.
        </>
      ),
      label: 'Note',
      description: 'For whom or what the token is; only people see it.',
      placeholder: 'edge in Oslo',
      labelLifetime: 'Lifetime',
      descriptionUntilWhen: 'Until when the host must have joined.',
      what: 'The token was not created',
      button: 'Create token',
    },
    hostNeeds: {
      text: 'What the host needs',
      item: (span: ReactNode) => <>Linux, and the program {span} (Node 20 or newer)</>,
      textFlotilla: 'flotilla',
      itemWayController:
        "A way to the controller's port for agents, 8098 unless it was changed. Nothing dials the host.",
      itemEnvoyBinary: (span: ReactNode) => (
        <>
          An Envoy binary: the agent takes the one on {span} or in its cache, else fetches the version that a service
          asks for
        </>
      ),
      textPath: 'PATH',
    },
  },
  enrolmentTokens: {
    states: {
      labelOpen: 'Open',
      labelUsed: 'Used',
      labelExpired: 'Expired',
      labelAll: 'All',
    },
    enrolmentTokens: {
      list: 'enrolment tokens',
      ariaLabel: 'Tokens that are shown',
      title: 'No enrolment token yet',
      button: 'Enrol a client',
      empty: 'A token lets one host join the project. It works once, and only for the time that you choose.',
    },
    withdraw: {
      title: 'Withdraw the token?',
      action: 'Withdraw',
      done: 'The token is withdrawn.',
      confirm: (part: ReactNode) => (
        <>{part}no host can join with this token from now on. Nothing that has joined already is touched.</>
      ),
    },
    rotate: {
      action: 'Rotate',
      label: (note: string) => `Rotate the token “${note}”`,
      labelToken: 'Rotate the token',
      title: 'Give the token a new secret',
      gone: 'There is no such open token in this list any more.',
      of: (note: string) => `“${note}”:`,
      text: 'The token keeps its end and still admits one host. While both secrets hold, either uses it up.',
      old: (prefix: string) => `The secret of before, ${prefix}…, still holds, too`,
    },
    createColumns: {
      headerNote: 'Note',
      headerPrefix: 'Begins with',
      ofToken: 'the token',
      headerStatus: 'Status',
      headerClient: 'Client',
      link: 'Open client',
      headerExpiresAt: 'Expires',
      headerCreatedAt: 'Created',
      headerCreatedBy: 'By',
      headerActions: 'Actions',
      ariaLabel: (note: string | number) => `Withdraw the token “${note}”`,
      ariaLabelWithdrawToken: 'Withdraw the token',
      button: 'Withdraw',
    },
    tokenState: {
      word: 'Open',
      why: 'A host can join with it',
      wordUsed: 'Used',
      text: (time: ReactNode) => <>A host joined, {time}</>,
      wordExpired: 'Expired',
      whyNoHost: 'No host joined in time',
    },
  },
  enrolment: {
    lifetimes: {
      label900: '15 minutes',
      label3600: '1 hour',
      label14400: '4 hours',
      label86400: '1 day',
      label604800: '7 days',
    },
    formatLeft: {
      text: (part: string | number, two: string | number) => `${part} h ${two} min`,
    },
  },
};
