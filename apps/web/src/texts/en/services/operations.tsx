import type { ReactNode } from 'react';

export const operations = {
  chooseClients: {
    chooseNodes: {
      legend: (bdi: ReactNode, count: ReactNode, count2: ReactNode) => (
        <>
          {bdi}: {count} of {count2}
        </>
      ),
      buttonChooseNone: 'Choose none',
      buttonChooseAll: 'Choose all',
      ariaLabel: 'Search clients',
      placeholder: 'Name',
      word: 'Offline',
      wordNotDeployed: 'Not Deployed',
      text: (part: ReactNode) => <>and {part} more: search by name</>,
    },
    addClients: {
      text: (name: string | number) => `${name} (offline)`,
      placeholderNameHost: 'Name, host or address',
      nothingFoundMessageLooking: 'Looking',
      nothingFoundMessageNoOther: 'No other client fits',
      ariaLabel: (label: string | number) => `Clear ${label}`,
      textClientsCould: 'The clients could not be loaded.',
    },
  },
  effect: {
    dt: 'What happens',
    dtOpenConnections: 'Open connections',
    dtClientsOffline: 'Clients that are offline',
    ddDoWhen: 'Do it when they are back.',
    ddCannotBe: 'Cannot be asked: it fails there at once.',
  },
  operationDialog: {
    text: (count: string | number) => `${count} services`,
  },
  operationSteps: {
    whatOrderNot: 'The order was not taken',
    whatNotKnown: 'It is not known whether the order was taken: look at the recent commands',
    text: 'Closing this does not stop it.',
    button: 'Back',
    buttonClose: 'Close',
    labelClients: 'Clients',
    notice: 'Not deployed to any client: there is nothing to do here.',
    labelOtherClients: 'And to other clients',
    buttonCancel: 'Cancel',
  },
  operations: {
    replaced: {
      textNoConnection:
        'No connection is refused or reset: a new Envoy takes over, requests under way are finished, idle connections are asked to leave. What is still open after 15 s (long streams, plain TCP) is cut.',
    },
    operations: {
      labelDeploy: 'Deploy',
      doesDeploy:
        'The clients fetch the proxy version, start Envoy and the filter, and follow the configuration of the service from then on.',
      toConnectionsDeploy:
        'Where the service runs already, nothing is interrupted: only what differs is changed. Where it was stopped, it starts.',
      labelUndeploy: 'Undeploy',
      doesUndeploy:
        'The clients stop the service and remove everything of it, and are taken out of its document. Their addresses are forgotten.',
      toConnectionsUndeploy: 'New connections are refused; open ones and requests under way are cut.',
      labelStart: 'Start',
      doesStart: 'Starts Envoy and the filter where they were stopped. Where they run, nothing happens.',
      toConnectionsStart: 'Nothing is interrupted.',
      labelStop: 'Stop',
      doesStop: 'Stops Envoy and the filter until they are started again. The service stays deployed.',
      labelRestart: 'Restart',
      doesRestart:
        'Stops Envoy and the filter, then starts both. To replace Envoy without cutting anything, use Reload.',
      toConnectionsRestart:
        'New connections are refused until Envoy listens again; open ones and requests under way are cut.',
      labelReload: 'Reload',
      doesReload: 'Replaces the Envoy process by a new one with the same bootstrap and version.',
      labelStatus: 'Ask for the status',
      doesStatus: 'Asks the clients what runs there at this moment: processes, versions, phase.',
      labelBootstrap: 'Update bootstrap',
      doesBootstrap:
        'Makes the bootstrap anew and runs Envoy with it. Envoy checks it first; one that it refuses changes nothing.',
      labelVersion: 'Set proxy version',
      doesVersion:
        'Runs another Envoy release on the chosen clients until the version of the service itself changes. Its documents stay those of its own version.',
    },
    nameCommand: {
      textReadLogs: 'Read logs',
      textAskProxy: 'Ask for proxy versions',
      textUpdatePolicies: 'Update policies',
    },
  },
  orderProgress: {
    orderProgress: {
      ariaLabel: (serviceName: string | number) => `Progress of ${serviceName}`,
      textUnderWay: 'Under way: ',
      label: (serviceName: string | number) => `Clients of ${serviceName}`,
    },
    refusedThere: {
      title: (part: string | number) => `${part} its configuration`,
      textNodeRefuses: 'A node refuses',
      text: (count: string | number) => `${count} nodes refuse`,
      serviceLink: 'Look at the errors',
    },
  },
  progressList: {
    progressList: {
      item: (part: ReactNode) => <>and {part} more</>,
    },
    outcomeState: {
      word: 'Running',
      wordUnknown: 'Unknown',
    },
    formatTook: {
      text: (part: string | number) => `${part} min`,
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
    ariaLabel: 'Running commands',
    text: (stateShape: ReactNode, count: ReactNode, part: ReactNode) => (
      <>
        {stateShape} {count} {part} not ended
      </>
    ),
    textCommand: 'command has',
    textCommands: 'commands have',
    word: 'Pending',
    why: 'The client is not connected. It does it when it is back.',
    item: (part: ReactNode) => <>and {part} more</>,
  },
  serviceActions: {
    serviceActions: {
      done: (name: string | number) => `Service ${name} is deleted.`,
      label: 'Actions',
      item: 'Delete the service …',
      button: 'Deploy',
      title: (name: string | number) => `Delete ${name}`,
      action: 'Delete',
      confirm: (tellClients: string | number) =>
        `It is deployed to ${tellClients}: the controller will refuse. Undeploy it there first.`,
      confirmServiceHistory:
        'The service, its history and its configuration errors are gone for good. The documents and policies that it uses stay.',
    },
    tellClients: {
      text: (rest: string | number) => ` and ${rest} more clients`,
    },
  },
  statusResult: {
    text: (phase: string | number, generation: string | number, restarts: string | number) =>
      `${phase}, generation ${generation}, ${restarts} restarts. `,
    textNoProcess: 'No process runs.',
  },
  versionField: {
    label: 'Proxy version',
    description: (current: string | number) => `The service's own is ${current}. Type any release, such as 1.39.3.`,
    errorExactRelease: 'An exact release such as 1.39.3',
  },
};
