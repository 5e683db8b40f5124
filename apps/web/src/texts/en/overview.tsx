import type { ReactNode } from 'react';

export const overview = {
  firstSteps: {
    list: {
      title: 'First steps',
      enrolClient: 'Enrol a client',
      enrolClientText: 'A host that runs your proxies joins by one command.',
      createService: 'Create a service',
      createServiceText: 'A service is a proxy with its bootstrap, listeners, policies and the clients that it is for.',
      deploy: 'Deploy it',
      showServices: 'Show the services',
      deployText: 'The agents then start Envoy, and tell when it runs what you configured.',
    },
    step: {
      done: 'done',
    },
  },
  overviewPage: {
    title: 'Overview',
    what: 'The overview',
  },
  recentChanges: {
    title: 'What changed lately',
    auditLog: 'Audit log',
    nothing: 'Nothing yet.',
    times: (count: number) => `${count} times`,
  },
  recent: {
    changed: (what: string) => `changed ${what}`,
    actorOf: {
      host: 'A host',
      nobodyKnown: 'Nobody known',
    },
  },
  runningCommands: {
    title: 'Running commands',
    newestOf: (count: ReactNode) => <>the newest of {count}</>,
    what: 'The commands',
    on: 'on',
  },
  stateStrip: {
    services: 'Services',
    live: 'Live',
    partial: 'Partial',
    offline: 'Offline',
    notDeployed: 'Not Deployed',
    clients: 'Clients',
    errors: 'Configuration errors',
    open: 'Open',
    critical: 'Critical',
    error: 'Error',
    warning: 'Warning',
    onTheirWay: 'On their way',
    nodesBehind: 'Nodes behind',
    commands: 'Commands',
  },
  trafficSection: {
    section: {
      title: 'Requests that policies decided, per minute',
      policies: 'Policies',
      what: 'The traffic',
    },
    chart: {
      blocked: 'Blocked',
      detected: 'Detected',
      allowed: 'Allowed',
      none: 'No policy has decided a request in the last hour.',
      totals: (blocked: ReactNode, detected: ReactNode, count: ReactNode, failed: ReactNode) => (
        <>
          {blocked}, {detected}, {count} allowed in the last hour{failed}
        </>
      ),
      blockedCount: (count: ReactNode) => <>{count} blocked</>,
      detectedCount: (count: ReactNode) => <>{count} detected</>,
      engineFailed: (count: ReactNode) => <>; {count} times an engine failed</>,
    },
  },
  troubleSections: {
    services: {
      title: 'Services that are not well',
      erring: 'Has errors',
      whyErring: 'It runs everywhere, but not as it is configured: something was refused.',
      openErrors: (errors: ReactNode, noun: ReactNode) => (
        <>
          {errors} open {noun}
        </>
      ),
    },
    clients: {
      title: 'Clients that are offline',
      offline: 'Offline',
      neverConnected: 'it has never connected',
      notRenewable: 'its certificate has ended for too long to be renewed: enrol it again',
    },
    changeStates: {
      refused: 'Refused',
      held: 'Held',
      waiting: 'Waiting',
      behind: 'Behind',
    },
    changes: {
      title: 'Changes that have not arrived',
      onNodes: (nodes: ReactNode, noun: ReactNode) => (
        <>
          on {nodes} {noun}
        </>
      ),
      of: 'of',
      on: 'on',
    },
    certificates: {
      title: 'Certificates that have ended or end within 30 days',
      ended: 'Ended',
      endsSoon: 'Ends soon',
      all: 'Secrets by their end',
      authority: 'The authority that vouches for clients',
      whyAuthority: 'no client connects after its end',
    },
    errors: {
      title: 'Open configuration errors',
      deletedService: 'a deleted service',
      in: 'in',
    },
    listed: {
      shownOf: (shown: ReactNode, count: ReactNode) => (
        <>
          {shown} of {count}
        </>
      ),
    },
  },
  troubles: {
    serviceOffline: 'service is offline',
    servicesOffline: 'services are offline',
    nodeRefuses: 'node refuses a change',
    nodesRefuse: 'nodes refuse a change',
    errorOpen: 'configuration error is open',
    errorsOpen: 'configuration errors are open',
    certificateEnded: 'certificate has ended',
    certificatesEnded: 'certificates have ended',
    servicePartial: 'service is partly live',
    servicesPartial: 'services are partly live',
    clientOffline: 'client is offline',
    clientsOffline: 'clients are offline',
    nodeBehind: 'node is behind',
    nodesBehind: 'nodes are behind',
    warningOpen: 'configuration warning is open',
    warningsOpen: 'configuration warnings are open',
    certificateEndsSoon: 'certificate ends within 30 days',
    certificatesEndSoon: 'certificates end within 30 days',
  },
  verdict: {
    allWell: (settledAt: ReactNode) => <>All is well{settledAt}</>,
    settled: (time: ReactNode) => <> · settled {time}</>,
  },
};
