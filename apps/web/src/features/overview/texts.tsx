import type { ReactNode } from 'react';
import { count } from '../../ui/count.ts';

export const texts = {
  firstSteps: {
    list: {
      title: 'First steps',
      enrolClient: 'Enrol a client',
      enrolClientText: 'Add a host that runs your proxies, with a single command.',
      publish: 'Publish an upstream',
      publishText: 'Make a server available at a host name. One form creates and deploys everything that is needed.',
      createService: 'Create a service',
      createServiceText: 'A service is a proxy with its bootstrap, listeners, policies and the clients that run it.',
      deploy: 'Deploy the service',
      showServices: 'Show the services',
      deployText: 'The agents start Envoy and report when it runs your configuration.',
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
    title: 'Recent changes',
    auditLog: 'Audit log',
    nothing: 'No changes yet.',
    times: (times: number) => count(times, 'time'),
  },
  recent: {
    changed: (what: string) => `changed ${what}`,
    actorOf: {
      host: 'A host',
      nobodyKnown: 'Unknown',
    },
  },
  runningCommands: {
    title: 'Running commands',
    newestOf: (total: ReactNode) => <>the newest of {total}</>,
    what: 'The commands',
    on: 'on',
  },
  stateStrip: {
    services: 'Services',
    total: 'Total',
    live: 'Live',
    offline: 'Offline',
    clients: 'Clients',
    errors: 'Configuration errors',
    open: 'Open',
    critical: 'Critical',
    error: 'Error',
    warning: 'Warning',
    onTheirWay: 'In progress',
    nodesBehind: 'Nodes out of date',
    commands: 'Commands',
  },
  trafficSection: {
    section: {
      title: 'Requests per minute, by policy verdict',
      decided: 'Requests by policy verdict',
      policies: 'Policies',
      what: 'The traffic',
    },
    chart: {
      none: 'No policy checked a request in the last hour.',
      totals: (blocked: ReactNode, detected: ReactNode, allowed: ReactNode, failed: ReactNode) => (
        <>
          {blocked}, {detected}, {allowed} allowed in the last hour{failed}
        </>
      ),
      blockedCount: (requests: ReactNode) => <>{requests} blocked</>,
      detectedCount: (requests: ReactNode) => <>{requests} detected</>,
      engineFailed: (requests: ReactNode) => <>; engine failures: {requests}</>,
    },
  },
  troubleSections: {
    services: {
      title: 'Services that need attention',
      openErrors: (errors: number) => count(errors, 'open error'),
    },
    clients: {
      title: 'Offline clients',
      offline: 'Offline',
      neverConnected: 'has never connected',
      notRenewable: 'its certificate expired too long ago to be renewed: enrol it again',
    },
    changeStates: {
      refused: 'Refused',
      held: 'Held',
      waiting: 'Waiting',
      behind: 'Behind',
    },
    changes: {
      title: 'Changes not applied',
      onNodes: (nodes: number) => `on ${count(nodes, 'node')}`,
      of: 'of',
      on: 'on',
    },
    certificates: {
      title: 'Certificates that have expired or expire within 30 days',
      ended: 'Expired',
      endsSoon: 'Expires soon',
      all: 'Secrets by expiry',
      authority: 'Client CA',
      whyAuthority: 'no client can connect after it expires',
    },
    errors: {
      title: 'Open configuration errors',
      deletedService: 'a deleted service',
      in: 'in',
    },
    listed: {
      shownOf: (shown: ReactNode, total: ReactNode) => (
        <>
          {shown} of {total}
        </>
      ),
    },
  },
  troubles: {
    servicesFailed: (services: number) => count(services, 'service has failed', 'services have failed'),
    servicesDegraded: (services: number) => count(services, 'service is degraded', 'services are degraded'),
    servicesUnreachable: (services: number) => count(services, 'service is unreachable', 'services are unreachable'),
    nodesRefuse: (nodes: number) => count(nodes, 'node refuses a change', 'nodes refuse a change'),
    errorsOpen: (errors: number) => count(errors, 'open configuration error'),
    certificatesExpired: (certificates: number) =>
      count(certificates, 'certificate has expired', 'certificates have expired'),
    clientsOffline: (clients: number) => count(clients, 'client is offline', 'clients are offline'),
    nodesBehind: (nodes: number) => count(nodes, 'node is out of date', 'nodes are out of date'),
    warningsOpen: (warnings: number) => count(warnings, 'open configuration warning'),
    certificatesExpireSoon: (certificates: number) =>
      count(certificates, 'certificate expires within 30 days', 'certificates expire within 30 days'),
  },
  verdict: {
    upToDate: (appliedAt: ReactNode) => <>Configuration is up to date{appliedAt}</>,
    applied: (time: ReactNode) => <> · last change applied {time}</>,
  },
};
