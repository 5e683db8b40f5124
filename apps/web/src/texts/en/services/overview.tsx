import type { ReactNode } from 'react';

export const overview = {
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
      title: 'Facts',
      nodes: 'Nodes',
      serviceLink: 'All details',
      emptyTitle: 'No clients yet',
      empty:
        'Deploy the service to clients: they fetch the proxy version, start Envoy and follow this configuration from then on.',
      moreIn: (count: ReactNode, serviceLink: ReactNode) => (
        <>
          {count} more in {serviceLink}
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
      deployedCount: (deployed: string | number, listed: string | number) => `${deployed} of ${listed} listed clients`,
      addresses: 'Addresses',
      threads: 'Filter threads',
      trustedProxies: 'Trusted proxies in front',
      changed: 'Changed',
      created: 'Created',
    },
  },
  troubleList: {
    list: {
      title: 'What is wrong',
      lookAtErrors: 'Look at the errors',
      lookAtNodes: 'Look at the nodes',
      andMore: (rest: ReactNode) => <>and {rest} more</>,
    },
    since: {
      since: (time: ReactNode) => <>since {time}.</>,
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
      offline: 'Client is offline',
      fixOffline: 'Its proxy runs on with what it has. Look at the client: network, agent, host.',
      failed: 'Proxy does not run',
      stopped: 'Proxy is stopped, but should run',
      policiesRefused: 'The filter refused its policies and runs the last good ones',
      changeFailed: 'The last change failed',
      behind: 'Has not applied the newest change yet',
    },
    fromResources: {
      heldBack: 'held back',
    },
  },
};
