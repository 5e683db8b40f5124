import type { ReactNode } from 'react';

export const client = {
  clientColumns: {
    clientFilters: {
      labelStatus: 'Status',
      labelLive: 'Live',
      labelOffline: 'Offline',
    },
    clientSearches: {
      textNameId: 'Name, id, host, OS, version, service IP',
    },
    createClientColumns: {
      headerName: 'Name',
      headerStatus: 'Status',
      headerServiceIps: 'Service IPs',
      headerVersion: 'Agent',
      headerCpu: 'CPU',
      headerMemory: 'Memory',
      headerLastSeen: 'Last seen',
      headerHostname: 'Hostname',
      headerOs: 'OS',
      headerArch: 'Architecture',
      headerClientId: 'Client id',
    },
    statusWhy: {
      textConnected: 'Connected',
      textNeverConnected: 'It has never connected',
      text: (exact: string | number) => `Nothing was heard of it since ${exact}`,
    },
  },
  clientCommands: {
    clientCommands: {
      list: 'commands',
      label: 'Also questions',
      title: 'Status, logs and statistics that people and screens asked for in the last hour',
      titleNoCommand: 'No command yet',
      empty: 'What this client is told to do is listed here, with what became of it.',
    },
    createColumns: {
      headerCommand: 'Command',
      headerOutcome: 'Outcome',
      headerService: 'Service',
      textOpenService: 'Open service',
      headerCreatedAt: 'Sent',
      headerCreatedBy: 'By',
      headerDuration: 'Took',
    },
  },
  clientOverview: {
    clientOverview: {
      title: 'Services on this client',
      titleConnection: 'Connection',
      factLastSeen: 'Last seen',
      factConnected: 'Connected',
      factDisconnected: 'Disconnected',
      factEnrolled: 'Enrolled',
      titleHost: 'Host',
      factCpuLoad: 'CPU, load per core',
      factMemoryUse: 'Memory in use',
      factCores: 'Cores',
      factMemory: 'Memory',
      factHostname: 'Hostname',
      factArchitecture: 'Architecture',
      factKernel: 'Kernel',
      factCloudProvider: 'Cloud provider',
      factsEnabled: 'Enabled',
      factsDisabled: 'Disabled',
      titleAgent: 'Agent',
      factClientId: 'Client id',
      factAgentVersion: 'Agent version',
      factRuntimeFolder: 'Runtime folder',
      factDataFolder: 'Data folder',
      titleMetadata: 'Metadata',
    },
    metadata: {
      text: 'The agent tells none.',
    },
    services: {
      title: 'No service on this client',
      link: 'Show the services',
      empty: 'A service that names this client among its own can be deployed here.',
      ariaLabel: 'Services on this client',
      th: 'Service',
      thHere: 'Here',
      thEverywhere: 'Everywhere',
      thEnvoy: 'Envoy',
      thAddresses: 'Addresses',
      thAdminPort: 'Admin port',
      thLogs: 'Logs',
      ariaLabelLogs: (name: string | number) => `Logs of ${name}`,
    },
    nodeState: {
      word: 'Not Deployed',
      why: 'Listed, not deployed to this client',
      wordUnknown: 'Unknown',
      whyAgentNot: 'The agent has not reported it yet',
      whyAgentReports: 'As the agent reports it',
      whyNobodyKnows: 'Nobody knows now: the client is offline',
      text: 'when last seen',
    },
  },
  clientPage: {
    clientPage: {
      link: 'Clients',
      title: 'No such client',
      nothingHere: 'There is no such client in this project',
      linkShowAll: 'Show all clients',
      empty: 'It may have been removed. The audit log says by whom.',
      titleClient: 'Client',
      button: 'Remove',
      what: 'The client',
      labelOverview: 'Overview',
      labelStatistics: 'Statistics',
      labelCommands: 'Commands',
      labelVersions: 'Versions',
    },
    statusWhy: {
      text: (time: ReactNode, explained: ReactNode) => (
        <>
          Connected {time}
          {explained}
        </>
      ),
      textNeverConnected: 'It has never connected',
      textDisconnected: (time: ReactNode, explained: ReactNode) => (
        <>
          Disconnected {time}
          {explained}
        </>
      ),
    },
    offlineNotice: {
      title: 'This client has never connected',
      notice: (time: ReactNode) => (
        <>It was enrolled {time}. Check on the host that its agent runs and reaches the controller.</>
      ),
      text: (time: ReactNode, explained: ReactNode) => (
        <>
          Offline since {time}
          {explained}
        </>
      ),
      noticeProxiesRun:
        'Its proxies run on with what they have; changes reach them when it is back. Check on the host that the agent runs and reaches the controller.',
    },
  },
  clientStatistics: {
    clientStatistics: {
      ariaLabel: 'Time range',
      text: (part: ReactNode) => <>Averages of {part} min; statistics are kept for 24 hours</>,
      what: 'The statistics',
    },
    charts: {
      title: 'CPU',
      labelBusy: 'Busy',
      titleLoadPer: 'Load per core',
      label1Min: '1 min',
      titleMemory: 'Memory',
      labelInUse: 'In use',
      titleFullestDisk: 'Fullest disk',
      titleNetwork: 'Network',
      labelReceived: 'Received',
      labelSent: 'Sent',
      titleCpuProxies: 'CPU of the proxies, 100 % is one core',
      labelEnvoy: 'Envoy',
      labelFilter: 'Filter',
      titleMemoryProxies: 'Memory of the proxies',
      titleNoStatistics: 'No statistics in this time',
      empty: 'Agents report every ten seconds while they are connected; the newest minute shows up when it is over.',
    },
    newestSample: {
      title: 'Newest report',
      ariaLabel: 'File systems',
      th: 'File system',
      thUse: 'In use',
      thSize: 'Size',
      ariaLabelProcesses: 'Processes',
      thProcess: 'Process',
      thService: 'Service',
      thCpu: 'CPU',
      thMemory: 'Memory',
      tdFilter: 'Filter',
      tdEnvoy: 'Envoy',
    },
  },
  clientVersions: {
    clientVersions: {
      title: 'Installed on the host',
      titleClientOffline: 'The client is offline: there is nobody to ask',
      notice: 'It can be told when its agent is back.',
      titleRunServices: 'Run by services',
    },
    installed: {
      what: 'The versions',
      button: 'Ask again',
      title: 'The agent did not tell the versions',
      textDidNot: 'It did not answer in time.',
      titleNoEnvoy: 'No Envoy is installed',
      empty: 'The agent fetches a version when a service that needs it is deployed here.',
      ariaLabel: 'Installed Envoy versions',
      ariaLabelEnvoyVersions: 'Envoy versions',
      th: 'Version',
      thFrom: 'From',
      thBinary: 'Binary',
    },
    running: {
      text: 'No service is on this client.',
      ariaLabel: 'Envoy versions that services run',
      th: 'Service',
      thConfigured: 'Configured for',
      thRunsHere: 'Runs here',
    },
  },
};
