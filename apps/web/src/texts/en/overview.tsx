import type { ReactNode } from 'react';

export const overview = {
  firstSteps: {
    firstSteps: {
      title: 'First steps',
      titleEnrolClient: 'Enrol a client',
      step: 'A host that runs your proxies joins by one command.',
      titleCreateService: 'Create a service',
      stepServiceProxy: 'A service is a proxy with its bootstrap, listeners, policies and the clients that it is for.',
      titleDeploy: 'Deploy it',
      text: 'Show the services',
      stepAgentsThen: 'The agents then start Envoy, and tell when it runs what you configured.',
    },
    step: {
      text: 'done',
    },
  },
  overviewPage: {
    title: 'Overview',
    what: 'The overview',
  },
  recentChanges: {
    title: 'What changed lately',
    link: 'Audit log',
    text: 'Nothing yet.',
  },
  recent: {
    changed: (what: string) => `changed ${what}`,
    actorOf: {
      textHost: 'A host',
      textNobodyKnown: 'Nobody known',
    },
  },
  runningCommands: {
    title: 'Running commands',
    text: (count: ReactNode) => <>the newest of {count}</>,
    what: 'The commands',
    textOn: 'on',
  },
  stateStrip: {
    title: 'Services',
    word: 'Live',
    wordPartial: 'Partial',
    wordOffline: 'Offline',
    wordNotDeployed: 'Not Deployed',
    titleClients: 'Clients',
    titleConfigurationErrors: 'Configuration errors',
    wordOpen: 'Open',
    wordCritical: 'Critical',
    wordError: 'Error',
    wordWarning: 'Warning',
    titleTheirWay: 'On their way',
    wordNodesBehind: 'Nodes behind',
    wordCommands: 'Commands',
  },
  trafficSection: {
    trafficSection: {
      title: 'Requests that policies decided, per minute',
      link: 'Policies',
      what: 'The traffic',
    },
    trafficChart: {
      labelBlocked: 'Blocked',
      labelDetected: 'Detected',
      labelAllowed: 'Allowed',
      text: 'No policy has decided a request in the last hour.',
      textAllowedLast: (eventsLink: ReactNode, eventsLink2: ReactNode, count: ReactNode, part: ReactNode) => (
        <>
          {eventsLink}, {eventsLink2}, {count} allowed in the last hour{part}
        </>
      ),
      eventsLink: (strong: ReactNode) => <>{strong} blocked</>,
      eventsLinkDetected: (strong: ReactNode) => <>{strong} detected</>,
      textTimesEngine: (strong: ReactNode) => <>; {strong} times an engine failed</>,
      title: 'Requests that policies decided, per minute',
    },
  },
  troubleSections: {
    serviceTroubles: {
      title: 'Services that are not well',
      link: (errors: ReactNode, part: ReactNode) => (
        <>
          {errors} open {part}
        </>
      ),
    },
    clientTroubles: {
      title: 'Clients that are offline',
      word: 'Offline',
      textNeverConnected: 'it has never connected',
    },
    changeLooks: {
      word: 'Refused',
      wordHeld: 'Held',
      wordWaiting: 'Waiting',
      wordBehind: 'Behind',
    },
    changeTroubles: {
      title: 'Changes that have not arrived',
      text: (nodes: ReactNode, part: ReactNode) => (
        <>
          on {nodes} {part}
        </>
      ),
      textOf: 'of',
      textOn: 'on',
    },
    errorTroubles: {
      title: 'Open configuration errors',
      listDeletedService: 'a deleted service',
      text: 'in',
    },
    listed: {
      text: (shown: ReactNode, count: ReactNode) => (
        <>
          {shown} of {count}
        </>
      ),
    },
  },
  troubles: {
    textServiceOffline: 'service is offline',
    textServicesOffline: 'services are offline',
    textNodeRefuses: 'node refuses a change',
    textNodesRefuse: 'nodes refuse a change',
    textConfigurationError: 'configuration error is open',
    textConfigurationErrors: 'configuration errors are open',
    textServicePartly: 'service is partly live',
    textServicesPartly: 'services are partly live',
    textClientOffline: 'client is offline',
    textClientsOffline: 'clients are offline',
    textNodeBehind: 'node is behind',
    textNodesBehind: 'nodes are behind',
    textConfigurationWarning: 'configuration warning is open',
    textConfigurationWarnings: 'configuration warnings are open',
  },
  verdict: {
    text: (settledAt: ReactNode) => <>All is well{settledAt}</>,
    textSettled: (time: ReactNode) => <> · settled {time}</>,
  },
};
