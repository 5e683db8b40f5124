import type { ControllerView } from '@flotilla/contract';

const WHAT_IT_DOES: Readonly<Record<string, string>> = {
  api: 'Screens and API',
  agents: 'Agents and proxies',
  jobs: 'Jobs',
};

export const controllers = {
  title: 'Controllers',
  lead: 'The processes of this installation. They share one database: any of them answers, and a job goes on at another when one is lost.',
  what: 'The controllers',
  alone: 'Only one controller runs. Start another with the same database and the same master key: then one may fail.',
  noLeader: {
    title: 'No controller leads',
    text: 'Schedules do not start. A controller takes the lead within seconds; if none does, its log says why.',
  },
  live: ['Live', 'It was heard within the last seconds'] as const,
  gone: ['Gone', 'It has not been heard for too long: its agents connect elsewhere, its jobs go on elsewhere'] as const,
  facts: {
    state: 'State',
    leads: 'Leads',
    address: 'Screens and API at',
    agentsAddress: 'Agents at',
    does: 'Does',
    agents: 'Agents',
    streams: 'Open screens',
    jobs: 'Jobs running',
    cpu: 'Processor',
    memory: 'Memory',
    started: 'Started',
    heard: 'Last heard',
    version: 'Version',
    id: 'Id',
  },
  does: (role: string) => WHAT_IT_DOES[role] ?? role,
  cpu: (cores: number) => `${(cores * 100).toFixed(0)} % of a core`,
  remove: {
    action: 'Take away',
    title: ({ hostname }: ControllerView) => `Take ${hostname} away?`,
    text: 'Its entry goes, and clients that seem connected through it are shown as offline until they are back. If it was only asleep it ends when it wakes.',
    done: 'The controller was taken away.',
  },
};
