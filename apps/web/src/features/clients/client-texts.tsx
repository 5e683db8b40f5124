import type { ReactNode } from 'react';

export const texts = {
  fleetClientList: {
    searches: 'Name or ID',
    services: 'Services',
    andMore: (count: number) => ` and ${count} more`,
  },
  clientColumns: {
    filters: {
      status: 'Status',
      live: 'Live',
      offline: 'Offline',
      label: 'Label (KEY=VALUE or KEY)',
    },
    searches: {
      fields: 'Name, ID, host, OS, version, service IP, cloud, label',
    },
    columns: {
      name: 'Name',
      status: 'Status',
      serviceIps: 'Service IPs',
      agent: 'Agent',
      cpu: 'CPU',
      memory: 'Memory',
      lastSeen: 'Last seen',
      labels: 'Labels',
      provider: 'Cloud',
      hostname: 'Hostname',
      os: 'OS',
      arch: 'Architecture',
      clientId: 'Client ID',
    },
    statusWhy: {
      connected: 'Connected',
      neverConnected: 'Has never connected',
      silentSince: (exact: string | number) => `No contact since ${exact}`,
    },
  },
  clientCommands: {
    commands: {
      list: 'commands',
      alsoQuestions: 'Include read-only commands',
      alsoQuestionsHint: 'Queries for status, logs and statistics from the last hour',
      emptyTitle: 'No commands yet',
      empty: 'Commands for this client are listed here with their outcome.',
    },
    columns: {
      command: 'Command',
      outcome: 'Outcome',
      service: 'Service',
      openService: 'Open service',
      sent: 'Sent',
      by: 'By',
      took: 'Took',
    },
  },
  clientOverview: {
    overview: {
      services: 'Services on this client',
      connection: 'Connection',
      lastSeen: 'Last seen',
      connected: 'Connected',
      disconnected: 'Disconnected',
      enrolled: 'Enrolled',
      host: 'Host',
      cpuLoad: 'CPU, load per core',
      memoryInUse: 'Memory in use',
      cores: 'Cores',
      memory: 'Memory',
      hostname: 'Hostname',
      arch: 'Architecture',
      kernel: 'Kernel',
      provider: 'Cloud provider',
      agent: 'Agent',
      clientId: 'Client ID',
      agentVersion: 'Agent version',
      runtimeFolder: 'Runtime folder',
      dataFolder: 'Data folder',
    },
    services: {
      emptyTitle: 'No services on this client',
      showServices: 'Show the services',
      empty: 'Assign this client to a service, then deploy the service.',
      table: 'Services on this client',
      service: 'Service',
      here: 'On this host',
      everywhere: 'Overall',
      envoy: 'Envoy',
      addresses: 'Addresses',
      adminPort: 'Admin port',
      logs: 'Logs',
      logsOf: (name: string | number) => `Logs of ${name}`,
    },
    nodeState: {
      notDeployed: 'Not Deployed',
      whyNotDeployed: 'Assigned, not deployed to this client',
      unknown: 'Unknown',
      whyUnknown: 'The agent has not reported it yet',
      asReported: 'As the agent reports it',
      whyOffline: 'The client is offline',
      whenLastSeen: 'when last seen',
    },
  },
  clientFacts: {
    hypervisor: 'Hypervisor',
    cloud: 'Cloud',
    serverId: 'Server ID',
    project: 'Cloud project',
    detections: {
      none: 'None found',
      contradicting: 'Contradicting',
      off: 'Not detected',
      unreported: 'Not reported',
    },
    unknown: 'Unknown',
    running: 'Running',
    notRunning: 'Not running',
    capabilities: 'Capabilities',
    noCapabilities: 'The agent has not reported any. A newer agent does.',
    available: 'Available',
    missing: 'Missing',
    names: {
      proxy: 'Run Envoy',
      shield: 'Run the filter',
      waf: 'Keep WAF modules',
      routing: 'Read routing logs',
      network: 'Change the network',
      appliance: 'Create support bundles',
    },
  },
  clientPage: {
    page: {
      clients: 'Clients',
      missing: {
        pageTitle: 'No such client',
        title: 'There is no such client in this project',
        showAll: 'Show all clients',
      },
      whyMissing: (auditLog: ReactNode) => <>It may have been removed. See the {auditLog}.</>,
      whyMissingOrHidden: 'It may have been removed, or you have no permission to see it. Ask an admin of the project.',
      title: 'Client',
      what: 'The client',
      overview: 'Overview',
      statistics: 'Statistics',
      commands: 'Commands',
      logs: 'Logs',
      routing: 'Routing',
      versions: 'Versions',
      network: 'Network',
    },
    statusWhy: {
      connected: (time: ReactNode, explained: ReactNode) => (
        <>
          Connected {time}
          {explained}
        </>
      ),
      disconnected: (time: ReactNode, explained: ReactNode) => (
        <>
          Disconnected {time}
          {explained}
        </>
      ),
    },
    offline: {
      neverConnected: 'This client has never connected',
      neverConnectedText: (time: ReactNode) => (
        <>It was enrolled {time}. Check that the agent is running on the host and can connect to the controller.</>
      ),
      since: (time: ReactNode, explained: ReactNode) => (
        <>
          Offline since {time}
          {explained}
        </>
      ),
      proxiesRunOn:
        'Its proxies keep running with their last configuration. Changes are applied when the client reconnects. Check that the agent is running on the host and can connect to the controller.',
    },
  },
  clientStatistics: {
    statistics: {
      range: 'Time range',
      averages: (minutes: ReactNode) => <>Averages over {minutes} min. Statistics are kept for 24 hours</>,
      what: 'The statistics',
    },
    charts: {
      cpu: 'CPU',
      busy: 'Busy',
      loadPerCore: 'Load per core',
      minute: '1 min',
      memory: 'Memory',
      inUse: 'In use',
      fullestDisk: 'Fullest disk',
      network: 'Network',
      received: 'Received',
      sent: 'Sent',
      proxiesCpu: 'CPU of the proxies, 100 % is one core',
      envoy: 'Envoy',
      shield: 'Filter',
      proxiesMemory: 'Memory of the proxies',
      emptyTitle: 'No statistics in this time range',
      empty: 'Connected agents report every ten seconds. Each minute appears when it is complete.',
    },
    newestSample: {
      title: 'Newest report',
      fileSystems: 'File systems',
      fileSystem: 'File system',
      inUse: 'In use',
      size: 'Size',
      processes: 'Processes',
      process: 'Process',
      service: 'Service',
      cpu: 'CPU',
      memory: 'Memory',
      shield: 'Filter',
      envoy: 'Envoy',
    },
  },
  clientBacklog: {
    title: 'Recorded requests on the disk',
    hint: 'A few batches wait at any time. A number that grows means that the controller cannot store them; above the limit the host drops the oldest ones.',
    service: 'Service',
    batches: 'Waiting batches',
    bytes: 'Size',
    oldest: 'Oldest',
    dropped: 'Dropped',
  },
  clientVersions: {
    versions: {
      installed: 'Installed on the host',
      offline: 'The client is offline',
      offlineText: 'Its versions can be listed after it reconnects.',
      running: 'Used by services',
    },
    installed: {
      what: 'The versions',
      askAgain: 'Refresh',
      failed: 'The agent did not report its versions',
      noAnswer: 'It did not answer in time.',
      emptyTitle: 'No Envoy versions installed',
      empty: 'The agent fetches a version when a service that needs it is deployed here.',
      list: 'Installed Envoy versions',
      table: 'Envoy versions',
      version: 'Version',
      from: 'From',
      binary: 'Binary',
    },
    running: {
      none: 'No services on this client.',
      table: 'Envoy versions used by services',
      service: 'Service',
      configured: 'Configured for',
      runsHere: 'Runs here',
    },
  },
};
