import type { ReactNode } from 'react';

export const pages = {
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
  savedChange: {
    notice: {
      backTo: (revision: ReactNode) => <>Back to revision {revision}</>,
      title: (revision: string | number, effect: string | number) => `Revision ${revision} is saved${effect}`,
      deployNow: 'Deploy now',
      later: 'Later',
    },
    tellWaiting: {
      chooseClients: 'Choose the clients that are to run it.',
      listed: (clients: string | number) => `Listed are ${clients}.`,
      oneClient: 'one client',
      clients: (listed: string | number) => `${listed} clients`,
      notDeployed: (waiting: string | number, listed: string | number) =>
        `It is not deployed to ${waiting} of its ${listed} listed clients.`,
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
      deployedTo: (deployed: string | number) => `${deployed} clients`,
      addresses: 'IP addresses',
      adminPort: 'Admin port',
      changed: 'Changed',
    },
    versions: {
      someRun: (names: string | number) => `Some clients run ${names}`,
    },
    addresses: {
      andMore: (first: ReactNode, count: ReactNode) => (
        <>
          {first} and {count} more
        </>
      ),
    },
  },
  serviceEditorPage: {
    new: {
      title: 'New service',
      what: 'The proxy versions',
      notAllowed: 'Services are written by admins and owners',
      whomToAsk: 'Ask one of them to create it.',
    },
    edit: {
      title: 'Edit service',
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
      openErrors: (count: string | number, noun: string | number) => `${count} open ${noun}`,
      whyOpenErrors: 'Configuration errors that are not resolved; the tab Errors tells them',
      tryRequest: 'Try a request',
      edit: 'Edit',
      what: 'The service',
      missing: 'There is no such service in this project',
      showAll: 'Show all services',
      whyMissing: (auditLog: ReactNode) => <>It may have been deleted. The {auditLog} says by whom.</>,
      tabs: 'Parts of the service',
    },
    tabs: {
      overview: 'Overview',
      nodes: (count: string | number) => `Nodes (${count})`,
      errorsOf: (active: string | number) => `Errors (${active})`,
      errors: 'Errors',
      document: 'Document',
      configuration: 'Configuration',
      graph: 'Graph',
      logs: 'Logs',
    },
  },
  servicesPage: {
    page: {
      status: 'Status',
      version: 'Version',
      name: 'Name',
      address: 'IP address',
      create: 'Create service',
      title: 'Services',
      lead: 'Proxy deployments: what runs where, and how it is.',
      list: 'services',
      searches: 'Name, bootstrap',
      emptyTitle: 'No services yet',
      empty:
        'A service is a named proxy deployment: a bootstrap, listeners, policies, and the clients that run it. Create one, then deploy it to clients.',
    },
  },
  status: {
    allConnected: (count: string | number) => `All ${count} clients that run it are connected`,
    notConnected: (names: string | number, more: string | number) => `Not connected: ${names}${more}`,
    andMore: (rest: string | number) => ` and ${rest} more`,
    neverDeployed: 'Clients are listed, but it has not been deployed to them',
    noClientListed: 'No client is listed',
  },
  toDocument: {
    mendIn: (editLink: ReactNode, historyLink: ReactNode) => (
      <>
        Mend it in {editLink}, or see {historyLink}
      </>
    ),
    documentLink: 'what was changed there',
  },
};
