export type OperationId =
  | 'deploy'
  | 'undeploy'
  | 'start'
  | 'stop'
  | 'restart'
  | 'reload'
  | 'status'
  | 'bootstrap'
  | 'version';

export interface Operation {
  readonly id: OperationId;
  /** On the menu, the dialog and its button. */
  readonly label: string;
  readonly type: string;
  readonly subType: string;
  /** What it does, in one sentence. */
  readonly does: string;
  /** What happens to open connections. */
  readonly toConnections: string;
  /** any: also clients that the service is not deployed to. */
  readonly fits: 'any' | 'deployed';
  /** later: an offline client does it when it is back. fails: it must be connected now. */
  readonly offline: 'later' | 'fails';
  /** Cuts connections or refuses new ones. */
  readonly isCutting: boolean;
}

const REPLACED =
  'No connection is refused or reset: a new Envoy takes over, requests under way are finished, idle connections are asked to leave. What is still open after 15 s (long streams, plain TCP) is cut.';

/** docs/guides/replacing-envoy.md in the words of a dialog. */
export const OPERATIONS: readonly Operation[] = [
  {
    id: 'deploy',
    label: 'Deploy',
    type: 'DEPLOY',
    subType: '',
    does: 'The clients fetch the proxy version, start Envoy and the filter, and follow the configuration of the service from then on.',
    toConnections:
      'Where the service runs already, nothing is interrupted: only what differs is changed. Where it was stopped, it starts.',
    fits: 'any',
    offline: 'later',
    isCutting: false,
  },
  {
    id: 'undeploy',
    label: 'Undeploy',
    type: 'UNDEPLOY',
    subType: '',
    does: 'The clients stop the service and remove everything of it, and are taken out of its document. Their addresses are forgotten.',
    toConnections: 'New connections are refused; open ones and requests under way are cut.',
    fits: 'deployed',
    offline: 'later',
    isCutting: true,
  },
  {
    id: 'start',
    label: 'Start',
    type: 'SERVICE',
    subType: 'SUB_START',
    does: 'Starts Envoy and the filter where they were stopped. Where they run, nothing happens.',
    toConnections: 'Nothing is interrupted.',
    fits: 'deployed',
    offline: 'later',
    isCutting: false,
  },
  {
    id: 'stop',
    label: 'Stop',
    type: 'SERVICE',
    subType: 'SUB_STOP',
    does: 'Stops Envoy and the filter until they are started again. The service stays deployed.',
    toConnections: 'New connections are refused; open ones and requests under way are cut.',
    fits: 'deployed',
    offline: 'later',
    isCutting: true,
  },
  {
    id: 'restart',
    label: 'Restart',
    type: 'SERVICE',
    subType: 'SUB_RESTART',
    does: 'Stops Envoy and the filter, then starts both. To replace Envoy without cutting anything, use Reload.',
    toConnections: 'New connections are refused until Envoy listens again; open ones and requests under way are cut.',
    fits: 'deployed',
    offline: 'fails',
    isCutting: true,
  },
  {
    id: 'reload',
    label: 'Reload',
    type: 'SERVICE',
    subType: 'SUB_RELOAD',
    does: 'Replaces the Envoy process by a new one with the same bootstrap and version.',
    toConnections: REPLACED,
    fits: 'deployed',
    offline: 'fails',
    isCutting: false,
  },
  {
    id: 'status',
    label: 'Ask for the status',
    type: 'SERVICE',
    subType: 'SUB_STATUS',
    does: 'Asks the clients what runs there at this moment: processes, versions, phase.',
    toConnections: 'Nothing is interrupted.',
    fits: 'deployed',
    offline: 'fails',
    isCutting: false,
  },
  {
    id: 'bootstrap',
    label: 'Update bootstrap',
    type: 'UPDATE_BOOTSTRAP',
    subType: '',
    does: 'Makes the bootstrap anew and runs Envoy with it. Envoy checks it first; one that it refuses changes nothing.',
    toConnections: REPLACED,
    fits: 'deployed',
    offline: 'later',
    isCutting: false,
  },
  {
    id: 'version',
    label: 'Set proxy version',
    type: 'DATAPLANE_VERSION',
    subType: '',
    does: 'Runs another Envoy release on the chosen clients until the version of the service itself changes. Its documents stay those of its own version.',
    toConnections: REPLACED,
    fits: 'deployed',
    offline: 'later',
    isCutting: false,
  },
];

const BY_ID = new Map(OPERATIONS.map((operation) => [operation.id, operation]));

export function findOperation(id: string | undefined): Operation | undefined {
  return BY_ID.get(id as OperationId);
}

/** `1.39.3`: what SET_VERSION takes. */
export function isRelease(text: string): boolean {
  return /^\d{1,3}\.\d{1,3}\.\d{1,4}$/.test(text);
}

export interface Order {
  readonly serviceId: string;
  readonly clientIds: readonly string[];
  /** Set proxy version. */
  readonly version?: string;
}

/** The body of POST /api/op/clients. */
export function toCommandBody(operation: Operation, { serviceId, clientIds, version }: Order) {
  return {
    type: operation.type,
    sub_type: operation.subType,
    clients: clientIds.map((client_id) => ({ client_id })),
    command: {
      service_id: serviceId,
      ...(operation.id === 'version' && { operation: 'SET_VERSION', version }),
    },
  };
}

/** What a command was, for people. */
export function nameCommand({
  type,
  sub_type,
  operation,
}: {
  type: string;
  sub_type: string;
  operation: string;
}): string {
  const known = OPERATIONS.find((one) => one.type === type && one.subType === sub_type && operation !== 'GET_VERSIONS');
  if (known) return known.label;
  switch (`${type} ${sub_type}${operation}`) {
    case 'SERVICE SUB_LOGS':
      return 'Read logs';
    case 'DATAPLANE_VERSION GET_VERSIONS':
      return 'Ask for proxy versions';
    case 'SHIELD UPDATE_SHIELD_CONFIG':
      return 'Update policies';
    default:
      return [type, sub_type, operation].filter((part) => part !== '').join(' ');
  }
}
