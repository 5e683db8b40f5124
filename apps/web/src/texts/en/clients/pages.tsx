import type { ReactNode } from 'react';

export const pages = {
  clientsPage: {
    page: {
      title: 'Clients',
      notAllowed: 'Clients are for owners and admins of the project',
      whomToAsk: 'Ask one of them for the role admin, if you need to see the hosts of the fleet.',
      lead: 'The hosts of the fleet: on each an agent runs the proxies and keeps them at what was configured.',
      enrol: 'Enrol a client',
      tabs: 'Clients and their enrolment',
      enrolmentTab: 'Enrolment tokens',
    },
    list: {
      name: 'clients',
      emptyTitle: 'No client yet',
      enrolFirst: 'Enrol the first client',
      empty:
        'A client is a host that runs your proxies. It joins by one command that you run on it; services can then be deployed to it.',
    },
  },
  commandDrawer: {
    drawer: {
      title: 'Command',
    },
    loading: {
      what: 'The command',
    },
    detail: {
      command: 'Command',
      nameInApi: 'As the API has it',
      outcome: 'Outcome',
      step: 'Doing now',
      notTold: 'Not told',
      service: 'Service',
      openService: 'Open the service',
      by: 'By',
      given: 'Given',
      reachedClient: 'Reached the client',
      atOnce: 'at once',
      notYet: 'not yet',
      ended: 'Ended',
      deadline: 'Deadline',
      noDeadline: 'none',
      took: 'Took',
      id: 'Id',
      result: 'Result',
      resultName: 'result',
    },
  },
  commandNames: {
    names: {
      clientstats: 'Read statistics',
      updatebootstrap: 'Update bootstrap',
      servicesubstatus: 'Read status',
      servicesublogs: 'Read logs',
      shieldupdateshieldconfig: 'Update filter',
      shieldgetshieldconfig: 'Read filter configuration',
      shieldgetshieldstatus: 'Read filter status',
      dataplaneversiongetversions: 'List Envoy versions',
      dataplaneversionsetversion: 'Set Envoy version',
    },
    outcomes: {
      done: 'Done',
      whyDone: 'It happened; the client says so',
      failed: 'Failed',
      whyFailed: 'It did not happen',
      refused: 'Refused',
      whyRefused: 'It was not tried',
      pending: 'Pending',
      whyPending: 'The client is offline; it follows when it is back',
      running: 'Running',
      whyRunning: 'Not ended yet',
      unknown: 'Unknown',
      whyUnknown: 'The client did not say in time; it may have happened',
    },
    listFilters: {
      type: 'Type',
      outcome: 'Outcome',
    },
    formatDuration: {
      minutesAndSeconds: (minutes: string | number, seconds: string | number) => `${minutes} min ${seconds} s`,
    },
  },
  meter: {
    stale: (ago: ReactNode) => <> measured {ago}, not current</>,
    staleHint: (ago: string | number, exact: string | number) => `Not current: measured ${ago}, ${exact}`,
  },
  model: {
    streamOpened: 'the agent opened a stream',
    agentLeft: 'the agent ended',
    connectionLost: 'the connection was lost',
    streamFailed: 'the connection failed',
    agentStuck: 'the agent did not read what it was sent',
    displaced: 'the agent came back by a newer connection',
    controllerStopped: 'the controller was stopped',
    controllerLost: 'the controller that it was connected to does not answer',
    noHello: 'the agent did not say who it is',
    helloNotStored: 'the controller could not store what the agent said',
    failure: 'the controller failed at something that the agent said',
  },
  removeClient: {
    dialog: {
      title: (client: ReactNode) => <>Remove {client}?</>,
    },
    form: {
      done: (name: string | number) => `${name} is removed.`,
      certificatesRevoked: 'Its certificates are revoked and its connection is cut, at once and for good.',
      recordsGone: 'Its record, statistics and commands are gone; the audit log stays.',
      proxiesRunOn:
        'Proxies that run on the host run on with what they have until somebody stops them there. Nobody can change them from here any more.',
      comesBack: 'The host can come back only with a new enrolment token, as another client.',
      targeted: (services: ReactNode) => <>{services} this client:</>,
      oneService: 'A service targets',
      services: (count: string | number) => `${count} services target`,
      byForce:
        'By force it is taken out of them without undeploying: what they run on the host is stopped by nobody. Undeploy them first where you can.',
      typeName: (client: ReactNode) => <>Type {client} to remove it by force</>,
      failed: 'The client was not removed',
      removeByForce: 'Remove by force',
      remove: 'Remove',
    },
  },
  serviceIps: {
    countOf: (serviceIpCount: string | number, name: string | number) => `${serviceIpCount} service IPs of ${name}`,
    title: (name: string | number) => `Service IPs of ${name}`,
    copied: 'addresses',
  },
};
