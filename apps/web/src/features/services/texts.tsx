import type { ReactNode } from 'react';
import { count, plural } from '../../ui/count.ts';

export const texts = {
  resourceKind: {
    kinds: {
      listener: 'Listener',
      routeConfiguration: 'Route configuration',
      routeConfigurations: 'Route configurations',
      virtualHost: 'Virtual host',
      virtualHosts: 'Virtual hosts',
      cluster: 'Cluster',
      endpoints: 'Endpoints',
      secret: 'Secret',
      extension: 'Extension',
    },
    collectionNouns: {
      routes: 'Route configuration',
      virtualHosts: 'Virtual host',
    },
  },
  nodeSelect: {
    node: 'Node',
    offlineNode: (clientName: string | number) => `${clientName} (offline)`,
  },
  savedChange: {
    notice: {
      backTo: (revision: ReactNode) => <>Back to revision {revision}</>,
      title: (revision: string | number, effect: string | number) => `Revision ${revision} is saved${effect}`,
      deployNow: 'Deploy now',
      later: 'Later',
    },
    tellWaiting: {
      chooseClients: 'Choose the clients to run it.',
      assigned: (clients: number) => `${count(clients, 'client is', 'clients are')} assigned.`,
      notDeployed: (waiting: number, listed: number) =>
        `It is not deployed to ${waiting} of its ${count(listed, 'assigned client')}.`,
    },
  },
  serviceColumns: {
    columns: {
      name: 'Name',
      status: 'Status',
      errors: 'Errors',
      whyErrors: 'Active configuration errors',
      version: 'Version',
      deployed: 'Deployed',
      deployedTo: (clients: number) => count(clients, 'client'),
      addresses: 'IP addresses',
      adminPort: 'Admin port',
      changed: 'Changed',
    },
    versions: {
      someRun: (names: string | number) => `Some clients run ${names}`,
    },
    addresses: {
      andMore: (first: ReactNode, more: ReactNode) => (
        <>
          {first} and {more} more
        </>
      ),
    },
  },
  serviceEditorPage: {
    new: {
      title: 'New service',
      what: 'The proxy versions',
      notAllowed: 'Only admins and owners can change services',
      whomToAsk: 'Ask one of them to create it.',
    },
    edit: {
      title: 'Edit service',
      whomToAsk: 'Ask one of them to change it.',
      showService: 'Show the service',
      titleOf: (name: string | number) => `Edit ${name}`,
    },
    servicesLink: {
      services: 'Services',
    },
  },
  servicePage: {
    page: {
      title: 'Service',
      services: 'Services',
      openErrors: (errors: number) => count(errors, 'open error'),
      whyOpenErrors: 'Unresolved configuration errors; see the Errors tab',
      tryRequest: 'Try a request',
      edit: 'Edit',
      what: 'The service',
      missing: { title: 'There is no such service in this project', showAll: 'Show all services' },
      whyMissing: (auditLog: ReactNode) => <>It may have been deleted. See the {auditLog}.</>,
      whyMissingOrHidden: 'It may have been deleted, or you have no permission to see it. Ask an admin of the project.',
      tabs: 'Parts of the service',
    },
    tabs: {
      traffic: 'Traffic',
      overview: 'Overview',
      nodes: (nodes: string | number) => `Nodes (${nodes})`,
      errorsOf: (active: string | number) => `Errors (${active})`,
      errors: 'Errors',
      document: 'Document',
      configuration: 'Configuration',
      graph: 'Graph',
      logs: 'Logs',
      envoy: 'Envoy',
    },
  },
  servicesPage: {
    page: {
      status: 'Status',
      version: 'Version',
      name: 'Name',
      address: 'IP address',
      create: 'Create service',
      publish: 'Publish an upstream',
      unpublish: 'Unpublish hosts',
      title: 'Services',
      lead: 'Proxy deployments: what runs where, and its state.',
    },
    list: {
      name: 'services',
      searches: 'Name, bootstrap',
      empty: {
        title: 'No services yet',
        text: 'A service is a named proxy deployment: a bootstrap, listeners, policies and the clients that run it. Create a service, then deploy it to clients.',
      },
    },
  },
  status: {
    live: (clients: number) =>
      `${clients === 1 ? 'Its client is' : `All ${clients} clients are`} connected and ${plural(clients, 'serves', 'serve')} the newest configuration. All known upstreams are healthy.`,
    inProgress: 'The newest configuration is being applied',
    withErrors: 'Part of the configuration does not run. See the Nodes tab.',
    stopped: 'Stopped by a command',
    connectionLost: (names: string, more: string) =>
      `The connection to the agent was lost: ${names}${more}. The proxy keeps running with its last configuration.`,
    andMore: (rest: string | number) => ` and ${rest} more`,
    neverDeployed: 'Clients are assigned, but it has not been deployed to them',
    noClientListed: 'No clients are assigned',
  },
  fixLink: {
    in: (link: ReactNode) => <>Fix it in {link}</>,
    inDocument: (link: ReactNode, history: ReactNode) => (
      <>
        Fix it in {link}, or review {history}
      </>
    ),
    lastChange: 'its last change',
    addresses: (service: string) => `the client addresses of ${service}`,
    onHost: (client: ReactNode) => <>Fix it on the host of {client}</>,
  },
};
