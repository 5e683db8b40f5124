import type { ReactNode } from 'react';

export const operations = {
  chooseClients: {
    chooseNodes: {
      chosenOf: (service: ReactNode, chosen: ReactNode, total: ReactNode) => (
        <>
          {service}: {chosen} of {total}
        </>
      ),
      chooseNone: 'Choose none',
      chooseAll: 'Choose all',
      search: 'Search clients',
      searches: 'Name',
      offline: 'Offline',
      notDeployed: 'Not Deployed',
      andMore: (rest: ReactNode) => <>and {rest} more: search by name</>,
    },
    addClients: {
      offlineClient: (name: string | number) => `${name} (offline)`,
      searches: 'Name, host or address',
      looking: 'Looking',
      noneFits: 'No other client fits',
      clear: (label: string | number) => `Clear ${label}`,
      failed: 'The clients could not be loaded.',
    },
  },
  effect: {
    whatHappens: 'What happens',
    openConnections: 'Open connections',
    clientsOffline: 'Clients that are offline',
    doneWhenBack: 'Do it when they are back.',
    failsAtOnce: 'Cannot be asked: it fails there at once.',
  },
  operationDialog: {
    services: (count: string | number) => `${count} services`,
  },
  operationSteps: {
    failed: 'The order was not taken',
    unknownOutcome: 'It is not known whether the order was taken: look at the recent commands',
    goesOnWhenClosed: 'Closing this does not stop it.',
    back: 'Back',
    close: 'Close',
    clients: 'Clients',
    deployedNowhere: 'Not deployed to any client: there is nothing to do here.',
    otherClients: 'And to other clients',
  },
  operations: {
    replaced: {
      connections:
        'No connection is refused or reset: a new Envoy takes over, requests under way are finished, idle connections are asked to leave. What is still open after 15 s (long streams, plain TCP) is cut.',
    },
    kinds: {
      deploy: 'Deploy',
      doesDeploy:
        'The clients fetch the proxy version, start Envoy and the filter, and follow the configuration of the service from then on.',
      toConnectionsDeploy:
        'Where the service runs already, nothing is interrupted: only what differs is changed. Where it was stopped, it starts.',
      undeploy: 'Undeploy',
      doesUndeploy:
        'The clients stop the service and remove everything of it, and are taken out of its document. Their addresses are forgotten.',
      toConnectionsUndeploy: 'New connections are refused; open ones and requests under way are cut.',
      start: 'Start',
      doesStart: 'Starts Envoy and the filter where they were stopped. Where they run, nothing happens.',
      toConnectionsStart: 'Nothing is interrupted.',
      stop: 'Stop',
      doesStop: 'Stops Envoy and the filter until they are started again. The service stays deployed.',
      restart: 'Restart',
      doesRestart:
        'Stops Envoy and the filter, then starts both. To replace Envoy without cutting anything, use Reload.',
      toConnectionsRestart:
        'New connections are refused until Envoy listens again; open ones and requests under way are cut.',
      reload: 'Reload',
      doesReload: 'Replaces the Envoy process by a new one with the same bootstrap and version.',
      status: 'Ask for the status',
      doesStatus: 'Asks the clients what runs there at this moment: processes, versions, phase.',
      bootstrap: 'Update bootstrap',
      doesBootstrap:
        'Makes the bootstrap anew and runs Envoy with it. Envoy checks it first; one that it refuses changes nothing.',
      version: 'Set proxy version',
      doesVersion:
        'Runs another Envoy release on the chosen clients until the version of the service itself changes. Its documents stay those of its own version.',
    },
    nameCommand: {
      readLogs: 'Read logs',
      proxyVersions: 'Ask for proxy versions',
      updatePolicies: 'Update policies',
    },
  },
  orderProgress: {
    progress: {
      title: (serviceName: string | number) => `Progress of ${serviceName}`,
      underWay: 'Under way: ',
      clientsOf: (serviceName: string | number) => `Clients of ${serviceName}`,
    },
    refused: {
      title: (refusing: string | number) => `${refusing} its configuration`,
      oneNode: 'A node refuses',
      nodes: (count: string | number) => `${count} nodes refuse`,
      serviceLink: 'Look at the errors',
    },
  },
  progressList: {
    list: {
      andMore: (rest: ReactNode) => <>and {rest} more</>,
    },
    outcome: {
      running: 'Running',
      unknown: 'Unknown',
    },
    formatTook: {
      minutes: (count: string | number) => `${count} min`,
    },
  },
  progress: {
    done: 'The client says that it happened.',
    failed: 'It did not happen.',
    refused: 'It was not tried: a newer command came first, or the client may not.',
    pending: 'The client is not connected. It does it when it is back.',
    running: 'Under way.',
    unknown: 'The client did not answer in time. It may have happened: look at the node.',
  },
  runningCommands: {
    line: (command: string, client: ReactNode, state: ReactNode, time: ReactNode) => (
      <>
        {command} on {client} {state} {time}
      </>
    ),
    title: 'Running commands',
    summary: (stateShape: ReactNode, count: ReactNode, have: ReactNode) => (
      <>
        {stateShape} {count} {have} not ended
      </>
    ),
    oneCommand: 'command has',
    commands: 'commands have',
    pending: 'Pending',
  },
  serviceActions: {
    menu: {
      deleted: (name: string | number) => `Service ${name} is deleted.`,
      actions: 'Actions',
      delete: 'Delete the service …',
      deploy: 'Deploy',
      deleteTitle: (name: string | number) => `Delete ${name}`,
      deleteAction: 'Delete',
      deleteConfirm: (tellClients: string | number) =>
        `It is deployed to ${tellClients}: the controller will refuse. Undeploy it there first.`,
      deleteConfirmHistory:
        'The service, its history and its configuration errors are gone for good. The documents and policies that it uses stay.',
    },
    tellClients: {
      andMore: (rest: string | number) => ` and ${rest} more clients`,
    },
  },
  statusResult: {
    phase: (phase: string | number, generation: string | number, restarts: string | number) =>
      `${phase}, generation ${generation}, ${restarts} restarts. `,
    noProcess: 'No process runs.',
  },
  versionField: {
    label: 'Proxy version',
    hint: (current: string | number) => `The service's own is ${current}. Type any release, such as 1.40.0.`,
    exactRelease: 'An exact release such as 1.40.0',
  },
};
