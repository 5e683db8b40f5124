import type { ReactNode } from 'react';
import { count } from '../../ui/count.ts';

export const texts = {
  clientsPage: {
    page: {
      title: 'Clients',
      lead: 'The hosts of the fleet. On each host, an agent runs the proxies and keeps them in line with the configuration.',
      enrol: 'Enrol a client',
      tabs: 'Clients and their enrolment',
      enrolmentTab: 'Enrolment tokens',
    },
    list: {
      name: 'clients',
      emptyTitle: 'No clients yet',
      enrolFirst: 'Enrol the first client',
      empty:
        'A client is a host that runs your proxies. It joins with one command that you run on it. You can then deploy services to it.',
      whoEnrols: 'A client is a host that runs your proxies. Owners and admins of the project can enrol clients.',
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
      nameInApi: 'Name in the API',
      outcome: 'Outcome',
      step: 'Current step',
      notTold: 'Not reported',
      service: 'Service',
      openService: 'Open the service',
      by: 'By',
      given: 'Created',
      reachedClient: 'Received by the client',
      atOnce: 'at once',
      notYet: 'not yet',
      ended: 'Ended',
      deadline: 'Deadline',
      noDeadline: 'none',
      took: 'Took',
      id: 'ID',
      result: 'Result',
      resultName: 'result',
    },
  },
  commandNames: {
    names: {
      clientstats: 'Read statistics',
      clientlogsagent: 'Read logs of the agent',
      clientlogshost: 'Read journal of the host',
      routinglogs: 'Read logs of routing',
      updatebootstrap: 'Update bootstrap',
      servicesubstatus: 'Read status',
      servicesublogs: 'Read logs',
      shieldupdateshieldconfig: 'Update filter',
      shieldgetshieldconfig: 'Read filter configuration',
      shieldgetshieldstatus: 'Read filter status',
      proxyread: 'Read from Envoy',
      proxywrite: 'Change running Envoy',
      dataplaneversiongetversions: 'List Envoy versions',
      dataplaneversionsetversion: 'Set Envoy version',
    },
    outcomes: {
      done: 'Done',
      whyDone: 'The client completed it',
      failed: 'Failed',
      whyFailed: 'The client could not complete it',
      refused: 'Refused',
      whyRefused: 'The client did not run it',
      pending: 'Pending',
      whyPending: 'The client is offline; the command runs when it reconnects',
      running: 'Running',
      whyRunning: 'In progress',
      unknown: 'Unknown',
      whyUnknown: 'The client did not answer in time; the command may have run',
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
    agentStuck: 'the agent stopped reading messages',
    displaced: 'the agent opened a newer connection',
    controllerStopped: 'the controller was stopped',
    controllerLost: 'the controller that it was connected to does not answer',
    noHello: 'the agent did not identify itself',
    helloNotStored: 'the controller could not store the report of the agent',
    failure: 'the controller failed to process a message from the agent',
  },
  removeClient: {
    open: 'Remove',
    dialog: {
      title: (client: ReactNode) => <>Remove {client}?</>,
    },
    form: {
      done: (name: string | number) => `${name} is removed.`,
      certificatesRevoked: 'Its certificates are permanently revoked and its connection is closed at once.',
      recordsGone: 'Its entry, statistics and commands are deleted. The audit log is kept.',
      proxiesRunOn:
        'Proxies on the host keep running with their last configuration until you stop them there. You can no longer change them from here.',
      comesBack: 'To return, the host needs a new enrolment token and becomes a new client.',
      targeted: (services: number) => `${count(services, 'service targets', 'services target')} this client:`,
      byForce:
        'If you force the removal, the client is removed from them without undeploying: their proxies on the host keep running. Undeploy the services first if you can.',
      typeName: (client: ReactNode) => <>Type {client} to force the removal</>,
      failed: 'The client was not removed',
      removeByForce: 'Force removal',
      remove: 'Remove',
    },
  },
  serviceIps: {
    countOf: (addresses: number, name: string) => `${count(addresses, 'service IP')} of ${name}`,
    title: (name: string | number) => `Service IPs of ${name}`,
    copied: 'addresses',
  },
};
