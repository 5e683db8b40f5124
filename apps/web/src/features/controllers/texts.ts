const ROLES: Readonly<Record<string, string>> = {
  api: 'Screens and API',
  agents: 'Agents and proxies',
  jobs: 'Jobs',
};

export const texts = {
  title: 'Controllers',
  lead: 'The processes of this installation. They share one database: each of them can answer requests, and the jobs of a lost controller continue on another.',
  what: 'The controllers',
  alone:
    'Only one controller is running. For high availability, start a second controller with the same database and master key.',
  noLeader: {
    title: 'No leader',
    text: 'Schedules do not start. A controller takes over within seconds; if none does, check the logs of the controllers.',
  },
  live: ['Live', 'Reported within the last seconds'] as const,
  gone: [
    'Gone',
    'Has not reported for too long. Its agents connect to other controllers, and its jobs continue there',
  ] as const,
  facts: {
    state: 'State',
    leads: 'Leader',
    address: 'Screens and API at',
    agentsAddress: 'Agents at',
    does: 'Roles',
    agents: 'Agents',
    streams: 'Open screens',
    jobs: 'Jobs running',
    cpu: 'CPU',
    memory: 'Memory',
    started: 'Started',
    heard: 'Last seen',
    version: 'Version',
    id: 'ID',
  },
  onSharedHost: (hostname: string, id: string) => `${hostname} (${id})`,
  does: (role: string) => ROLES[role] ?? role,
  cpu: (cores: number) => `${(cores * 100).toFixed(0)} % of a core`,
  remove: {
    action: 'Remove',
    title: (name: string) => `Remove ${name}?`,
    text: 'Its entry is deleted. Clients that still show as connected through it are shown as offline until they reconnect. If the process was only suspended, it exits when it resumes.',
    done: 'The controller is removed.',
  },
};
