import type { ReactNode } from 'react';
import { count } from '../../../ui/count.ts';

export const texts = {
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
      looking: 'Searching',
      noneFits: 'No other client matches',
      clear: (label: string | number) => `Clear ${label}`,
      failed: 'The clients could not be loaded.',
    },
  },
  effect: {
    whatHappens: 'What happens',
    openConnections: 'Open connections',
    clientsOffline: 'Offline clients',
    doneWhenBack: 'Applied when they reconnect.',
    failsAtOnce: 'The command fails there at once.',
  },
  submit: (label: string, clients: number) => (clients > 0 ? `${label} on ${count(clients, 'client')}` : label),
  operationDialog: {
    services: (services: number) => count(services, 'service'),
  },
  operationSteps: {
    failed: 'The command was not accepted',
    unknownOutcome: 'The command may have been accepted: check the recent commands',
    goesOnWhenClosed: 'You can close this; the command continues.',
    back: 'Back',
    close: 'Close',
    clients: 'Clients',
    deployedNowhere: 'Not deployed to any client. There is nothing to do.',
    otherClients: 'Other clients',
    addressMissing: (clients: number) =>
      `${count(clients, 'client has', 'clients have')} no IP address for this service`,
    addressMissingText: (listeners: string) =>
      `${listeners} binds to "@client". It cannot be generated there, so nothing listens.`,
    addAddresses: 'Add addresses',
  },
  operations: {
    replaced: {
      connections:
        'No connection is refused or reset. A new Envoy takes over, requests in flight finish, and idle connections are drained. Connections still open after 15 s (long streams, plain TCP) are closed.',
    },
    kinds: {
      deploy: 'Deploy',
      doesDeploy:
        'The clients fetch the proxy version, start Envoy and the filter, and follow the configuration of the service from then on.',
      toConnectionsDeploy:
        'Nothing is interrupted where the service already runs: only differences are applied. It starts where it was stopped.',
      undeploy: 'Undeploy',
      doesUndeploy:
        'The clients stop the service and remove its files. They are removed from the service, together with their addresses.',
      toConnectionsUndeploy: 'New connections are refused. Open connections and requests in flight are closed.',
      start: 'Start',
      doesStart: 'Starts Envoy and the filter where they are stopped. Running ones are not affected.',
      toConnectionsStart: 'Nothing is interrupted.',
      stop: 'Stop',
      doesStop: 'Stops Envoy and the filter until they are started again. The service stays deployed.',
      restart: 'Restart',
      doesRestart: 'Stops Envoy and the filter, then starts both. To replace Envoy without interruption, use Reload.',
      toConnectionsRestart:
        'New connections are refused until Envoy listens again. Open connections and requests in flight are closed.',
      reload: 'Reload',
      doesReload: 'Replaces the Envoy process with a new one, with the same bootstrap and version.',
      status: 'Check status',
      doesStatus: 'Queries the clients for what runs there now: processes, versions, phase.',
      bootstrap: 'Update bootstrap',
      doesBootstrap:
        'Generates the bootstrap again and replaces Envoy with a process that uses it. Envoy validates it first; a refused bootstrap changes nothing.',
      upgrade: 'Upgrade Envoy',
      doesUpgrade:
        'Moves the chosen clients from one Envoy version to another. A client whose new Envoy does not start, or does not serve every listener, goes back to the version that it had.',
      toConnectionsUpgrade:
        'No connection is refused or reset. The new Envoy takes over. The old one asks its clients to leave and finishes requests for the drain time. What is still open 5 s later (long streams, plain TCP) is closed.',
      version: 'Set proxy version',
      doesVersion:
        'Runs another Envoy release on the chosen clients until the version of the service itself changes. The service keeps using the documents of its own version.',
    },
  },
  orderProgress: {
    progress: {
      title: (serviceName: string | number) => `Progress of ${serviceName}`,
      underWay: 'In progress: ',
      clientsOf: (serviceName: string | number) => `Clients of ${serviceName}`,
    },
    errors: {
      title: (nodes: number) => `${count(nodes, 'node runs', 'nodes run')} with configuration errors`,
      serviceLink: 'Show the errors',
    },
  },
  progressList: {
    list: {
      andMore: (rest: ReactNode) => <>and {rest} more</>,
    },
    outcome: {
      withErrors: 'With errors',
      running: 'Running',
      unknown: 'Unknown',
    },
    formatTook: {
      minutes: (minutes: string | number) => `${minutes} min`,
    },
  },
  progress: {
    withErrors: 'The client completed the command, but part of the configuration does not run there.',
    done: 'The client completed the command.',
    failed: 'The command failed.',
    refused: 'The command was not run: a newer one came first, or the client is not allowed to run it.',
    pending: 'The client is not connected. The command runs when it reconnects.',
    running: 'In progress.',
    unknown: 'The client did not answer in time. The command may have run: check the node.',
  },
  runningCommands: {
    line: (command: string, client: ReactNode, state: ReactNode, time: ReactNode) => (
      <>
        {command} on {client} {state} {time}
      </>
    ),
    title: 'Running commands',
    summary: (stateShape: ReactNode, commands: number) => (
      <>
        {stateShape} {count(commands, 'unfinished command')}
      </>
    ),
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
      stillDeployed: (clients: string) => `It is deployed to ${clients}. Undeploy it first.`,
      undeployFirst: 'Undeploy …',
      deleteConfirmHistory:
        'The service, its history and its configuration errors are permanently deleted. The documents and policies that it uses are kept.',
    },
    tellClients: {
      andMore: (rest: string | number) => ` and ${rest} more clients`,
    },
  },
  statusResult: {
    phase: (phase: string | number, generation: string | number, restarts: string | number) =>
      `${phase}, generation ${generation}, ${restarts} restarts. `,
    noProcess: 'No process is running.',
  },
  upgradeFields: {
    from: 'From version',
    fromHint: 'Only clients that should run it are offered.',
    to: 'To version',
    drain: 'Drain time (seconds)',
    drainHint: (current: string) => `Also for later replacements. Empty: it stays as it is (${current}).`,
    seconds: (times: readonly number[]) => `${times.join(', ')} s`,
    notSeconds: (max: number) => `A whole number from 1 to ${max}`,
    same: 'Choose another version than the one before',
    waves: 'For many clients, send the upgrade in waves:',
    wavesLink: 'Roll out an upgrade',
  },
  versionField: {
    label: 'Proxy version',
    hint: (current: string | number) => `The version of the service is ${current}. Enter any release, such as 1.40.0.`,
    exactRelease: 'Enter an exact release, such as 1.40.0',
  },
};
