import type { ReactNode } from 'react';

export const pages = {
  resourceKind: {
    kinds: {
      labelListener: 'Listener',
      labelRouteConfiguration: 'Route configuration',
      pluralRouteConfiguration: 'Route configurations',
      labelVirtualHost: 'Virtual host',
      pluralVirtualHost: 'Virtual hosts',
      labelCluster: 'Cluster',
      labelEndpoints: 'Endpoints',
      labelSecret: 'Secret',
      labelExtension: 'Extension',
    },
    collectionNouns: {
      routes: 'Route configuration',
      virtualHosts: 'Virtual host',
    },
  },
  savedChange: {
    savedChange: {
      button: (part: ReactNode) => <>Back to revision {part}</>,
      title: (revision: string | number, part: string | number) => `Revision ${revision} is saved${part}`,
      buttonDeployNow: 'Deploy now',
      buttonLater: 'Later',
    },
    tellWaiting: {
      textChooseClients: 'Choose the clients that are to run it.',
      text: (part: string | number) => `Listed are ${part}.`,
      textOneClient: 'one client',
      textClients: (listed: string | number) => `${listed} clients`,
      textNotDeployed: (waiting: string | number, listed: string | number) =>
        `It is not deployed to ${waiting} of its ${listed} listed clients.`,
    },
  },
  serviceColumns: {
    serviceColumns: {
      headerName: 'Name',
      headerStatus: 'Status',
      headerErrors: 'Errors',
      why: 'Active configuration errors',
      headerVersion: 'Version',
      headerDeployed: 'Deployed',
      cell: (deployed: string | number) => `${deployed} clients`,
      headerIpAddresses: 'IP addresses',
      headerAdminPort: 'Admin port',
      headerUpdatedAt: 'Changed',
    },
    versions: {
      label: (names: string | number) => `Some clients run ${names}`,
    },
    addresses: {
      text: (first: ReactNode, count: ReactNode) => (
        <>
          {first} and {count} more
        </>
      ),
    },
  },
  serviceEditorPage: {
    newServicePage: {
      title: 'New service',
      what: 'The proxy versions',
      titleServicesWritten: 'Services are written by admins and owners',
      empty: 'Ask one of them to create it.',
    },
    editServicePage: {
      titleEditService: 'Edit service',
      title: (name: string | number) => `Edit ${name}`,
      what: 'The service',
      nothingHere: 'There is no such service in this project',
      link: 'Show all services',
      empty: 'It may have been deleted. The audit log says by whom.',
    },
    servicesLink: {
      link: 'Services',
    },
  },
  servicePage: {
    servicePage: {
      titleService: 'Service',
      link: 'Services',
      word: (count: string | number, part: string | number) => `${count} open ${part}`,
      why: 'Configuration errors that are not resolved; the tab Errors tells them',
      button: 'Try a request',
      buttonEdit: 'Edit',
      what: 'The service',
      title: 'There is no such service in this project',
      linkShowAll: 'Show all services',
      empty: 'It may have been deleted. The audit log says by whom.',
      label: 'Parts of the service',
    },
    listTabs: {
      labelOverview: 'Overview',
      labelNodes: (count: string | number) => `Nodes (${count})`,
      labelErrors: (active: string | number) => `Errors (${active})`,
      labelErrorsErrors: 'Errors',
      labelDocument: 'Document',
      labelConfiguration: 'Configuration',
      labelGraph: 'Graph',
      labelLogs: 'Logs',
    },
  },
  servicesPage: {
    servicesPage: {
      labelStatus: 'Status',
      labelVersion: 'Version',
      labelName: 'Name',
      labelIpAddress: 'IP address',
      button: 'Create service',
      title: 'Services',
      lead: 'Proxy deployments: what runs where, and how it is.',
      list: 'services',
      searches: 'Name, bootstrap',
      titleNoServices: 'No services yet',
      empty:
        'A service is a named proxy deployment: a bootstrap, listeners, policies, and the clients that run it. Create one, then deploy it to clients.',
    },
  },
  status: {
    text: (count: string | number) => `All ${count} clients that run it are connected`,
    textNotConnected: (names: string | number, part: string | number) => `Not connected: ${names}${part}`,
    textMore: (part: string | number) => ` and ${part} more`,
    neverDeployed: 'Clients are listed, but it has not been deployed to them',
    noClientListed: 'No client is listed',
  },
};
