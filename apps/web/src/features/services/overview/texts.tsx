import type { ReactNode } from 'react';
import { count } from '../../../ui/count.ts';

export const texts = {
  commandHistory: {
    what: 'The commands',
    emptyTitle: 'No commands yet',
    empty: 'Deployments, restarts and other actions on this service are listed here.',
    list: 'Recent commands',
    command: 'Command',
    client: 'Client',
    outcome: 'Outcome',
    when: 'When',
    took: 'Took',
    by: 'By',
    running: 'Running',
  },
  overviewTab: {
    tab: {
      title: 'Details',
      nodes: 'Nodes',
      serviceLink: 'All details',
      emptyTitle: 'No clients yet',
      empty: 'Deploy the service to clients. They fetch the proxy version, start Envoy and follow this configuration.',
      moreIn: (more: ReactNode, serviceLink: ReactNode) => (
        <>
          {more} more in {serviceLink}
        </>
      ),
      recentCommands: 'Recent commands',
    },
    facts: {
      changedBy: (time: ReactNode, by: ReactNode, revision: ReactNode) => (
        <>
          {time} by {by}, revision {revision}
        </>
      ),
      proxyVersion: 'Proxy version',
      bootstrap: 'Bootstrap',
      listeners: 'Listeners',
      policies: 'Policies',
      deployedTo: 'Deployed to',
      deployedCount: (deployed: number, listed: number) => `${deployed} of ${count(listed, 'assigned client')}`,
      addresses: 'Addresses',
      apiDiscovery: 'API discovery',
      on: 'On',
      off: 'Off',
      threads: 'Filter threads',
      trustedProxies: 'Trusted proxies in front',
      changed: 'Changed',
      created: 'Created',
    },
  },
  troubleList: {
    list: {
      title: 'Problems',
      lookAtErrors: 'Show errors',
      lookAtNodes: 'Show nodes',
      lookAtTraffic: 'Show traffic',
      andMore: (rest: ReactNode) => <>and {rest} more</>,
    },
    since: {
      since: (duration: ReactNode) => <>for {duration}.</>,
    },
    clients: {
      on: (names: ReactNode, more: ReactNode) => (
        <>
          on {names}
          {more}
        </>
      ),
      andMore: (rest: string | number) => ` and ${rest} more`,
    },
  },
  troubles: {
    fromNode: {
      unreachable: 'The connection to the agent was lost',
      fixUnreachable: "The proxy keeps running with its last configuration. Check the host's network and agent.",
      failed: 'The proxy is not running',
      stopped: 'The proxy is stopped, but should be running',
      policiesRefused: 'The filter rejected its policies and runs the last good ones',
      changeFailed: 'The last change failed',
      behind: 'The newest change is not applied yet',
    },
    fromResources: {
      heldBack: 'held back',
    },
  },
};
