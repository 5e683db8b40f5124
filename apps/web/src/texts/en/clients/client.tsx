import type { ReactNode } from 'react';

export const client = {
  clientColumns: {
    filters: {
      status: 'Status',
      live: 'Live',
      offline: 'Offline',
    },
    searches: {
      fields: 'Name, id, host, OS, version, service IP',
    },
    columns: {
      name: 'Name',
      status: 'Status',
      serviceIps: 'Service IPs',
      agent: 'Agent',
      cpu: 'CPU',
      memory: 'Memory',
      lastSeen: 'Last seen',
      hostname: 'Hostname',
      os: 'OS',
      arch: 'Architecture',
      clientId: 'Client id',
    },
    statusWhy: {
      connected: 'Connected',
      neverConnected: 'It has never connected',
      silentSince: (exact: string | number) => `Nothing was heard of it since ${exact}`,
    },
  },
  clientCommands: {
    commands: {
      list: 'commands',
      alsoQuestions: 'Also read-only ones',
      alsoQuestionsHint: 'Status, logs and statistics that people and screens asked for in the last hour',
      emptyTitle: 'No command yet',
      empty: 'What this client is told to do is listed here, with what became of it.',
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
      enabled: 'Enabled',
      disabled: 'Disabled',
      agent: 'Agent',
      clientId: 'Client id',
      agentVersion: 'Agent version',
      runtimeFolder: 'Runtime folder',
      dataFolder: 'Data folder',
      metadata: 'Metadata',
    },
    metadata: {
      none: 'The agent tells none.',
    },
    services: {
      emptyTitle: 'No service on this client',
      showServices: 'Show the services',
      empty: 'A service that names this client among its own can be deployed here.',
      table: 'Services on this client',
      service: 'Service',
      here: 'Here',
      everywhere: 'Everywhere',
      envoy: 'Envoy',
      addresses: 'Addresses',
      adminPort: 'Admin port',
      logs: 'Logs',
      logsOf: (name: string | number) => `Logs of ${name}`,
    },
    nodeState: {
      notDeployed: 'Not Deployed',
      whyNotDeployed: 'Listed, not deployed to this client',
      unknown: 'Unknown',
      whyUnknown: 'The agent has not reported it yet',
      asReported: 'As the agent reports it',
      whyOffline: 'Nobody knows now: the client is offline',
      whenLastSeen: 'when last seen',
    },
  },
  clientPage: {
    page: {
      clients: 'Clients',
      missingTitle: 'No such client',
      missing: 'There is no such client in this project',
      showAll: 'Show all clients',
      whyMissing: (auditLog: ReactNode) => <>It may have been removed. The {auditLog} says by whom.</>,
      title: 'Client',
      remove: 'Remove',
      what: 'The client',
      overview: 'Overview',
      statistics: 'Statistics',
      commands: 'Commands',
      versions: 'Versions',
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
        <>It was enrolled {time}. Check on the host that its agent runs and reaches the controller.</>
      ),
      since: (time: ReactNode, explained: ReactNode) => (
        <>
          Offline since {time}
          {explained}
        </>
      ),
      proxiesRunOn:
        'Its proxies run on with what they have; changes reach them when it is back. Check on the host that the agent runs and reaches the controller.',
    },
  },
  clientStatistics: {
    statistics: {
      range: 'Time range',
      averages: (minutes: ReactNode) => <>Averages of {minutes} min; statistics are kept for 24 hours</>,
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
      emptyTitle: 'No statistics in this time',
      empty: 'Agents report every ten seconds while they are connected; the newest minute shows up when it is over.',
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
  clientVersions: {
    versions: {
      installed: 'Installed on the host',
      offline: 'The client is offline: there is nobody to ask',
      offlineText: 'It can be told when its agent is back.',
      running: 'Run by services',
    },
    installed: {
      what: 'The versions',
      askAgain: 'Ask again',
      failed: 'The agent did not tell the versions',
      noAnswer: 'It did not answer in time.',
      emptyTitle: 'No Envoy is installed',
      empty: 'The agent fetches a version when a service that needs it is deployed here.',
      list: 'Installed Envoy versions',
      table: 'Envoy versions',
      version: 'Version',
      from: 'From',
      binary: 'Binary',
    },
    running: {
      none: 'No service is on this client.',
      table: 'Envoy versions that services run',
      service: 'Service',
      configured: 'Configured for',
      runsHere: 'Runs here',
    },
  },
};
