import type { ReactNode } from 'react';

export const overview = {
  commandHistory: {
    what: 'The commands',
    title: 'No commands yet',
    empty: 'Deployments, restarts and other actions on this service are listed here.',
    ariaLabel: 'Recent commands',
    head: 'Command',
    headClient: 'Client',
    headOutcome: 'Outcome',
    headWhen: 'When',
    headTook: 'Took',
    headBy: 'By',
    word: 'Running',
  },
  overviewTab: {
    overviewTab: {
      title: 'Facts',
      titleNodes: 'Nodes',
      serviceLink: 'All details',
      titleNoClients: 'No clients yet',
      empty:
        'Deploy the service to clients: they fetch the proxy version, start Envoy and follow this configuration from then on.',
      text: (part: ReactNode, serviceLink: ReactNode) => (
        <>
          {part} more in {serviceLink}
        </>
      ),
      titleRecentCommands: 'Recent commands',
    },
    serviceFacts: {
      changed: (time: ReactNode, by: ReactNode, revision: ReactNode) => (
        <>
          {time} by {by}, revision {revision}
        </>
      ),
      factProxyVersion: 'Proxy version',
      factBootstrap: 'Bootstrap',
      factListeners: 'Listeners',
      factPolicies: 'Policies',
      factDeployed: 'Deployed to',
      facts: (count: string | number, count2: string | number) => `${count} of ${count2} listed clients`,
      factAddresses: 'Addresses',
      factFilterThreads: 'Filter threads',
      factTrustedProxies: 'Trusted proxies in front',
      factChanged: 'Changed',
      factCreated: 'Created',
    },
  },
  troubleList: {
    troubleList: {
      title: 'What is wrong',
      lookAtErrors: 'Look at the errors',
      lookAtNodes: 'Look at the nodes',
      text: (part: ReactNode) => <>and {part} more</>,
    },
    toDocument: {
      text: (documentLink: ReactNode, documentLink2: ReactNode) => (
        <>
          Mend it in {documentLink}, or see {documentLink2}
        </>
      ),
      documentLink: 'what was changed there',
    },
    since: {
      text: (time: ReactNode) => <>since {time}.</>,
    },
    clients: {
      text: (part: ReactNode, part2: ReactNode) => (
        <>
          on {part}
          {part2}
        </>
      ),
      textMore: (part: string | number) => ` and ${part} more`,
    },
  },
  troubles: {
    fromNode: {
      titleOffline: 'Client is offline',
      fixOffline: 'Its proxy runs on with what it has. Look at the client: network, agent, host.',
      id: (error: string | number) => `failed ${error}`,
      title: 'Proxy does not run',
      titleStopped: 'Proxy is stopped, but should run',
      idPolicy: (policyError: string | number) => `policy ${policyError}`,
      titleFilterRefused: 'The filter refused its policies and runs the last good ones',
      idError: (error: string | number) => `error ${error}`,
      titleLastChange: 'The last change failed',
      titleBehind: 'Has not applied the newest change yet',
    },
    fromError: {
      id: (keyOf: string | number, message: string | number) => `error ${keyOf} ${message}`,
    },
    fromResources: {
      titleHeldBack: 'held back',
    },
  },
};
