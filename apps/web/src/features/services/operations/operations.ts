import { texts } from '../../../texts/index.ts';

const words = texts.services.operations.operations;
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

const REPLACED = words.replaced.textNoConnection;

/** docs/guides/replacing-envoy.md in the words of a dialog. */
export const OPERATIONS: readonly Operation[] = [
  {
    id: 'deploy',
    label: words.operations.labelDeploy,
    type: 'DEPLOY',
    subType: '',
    does: words.operations.doesDeploy,
    toConnections: words.operations.toConnectionsDeploy,
    fits: 'any',
    offline: 'later',
    isCutting: false,
  },
  {
    id: 'undeploy',
    label: words.operations.labelUndeploy,
    type: 'UNDEPLOY',
    subType: '',
    does: words.operations.doesUndeploy,
    toConnections: words.operations.toConnectionsUndeploy,
    fits: 'deployed',
    offline: 'later',
    isCutting: true,
  },
  {
    id: 'start',
    label: words.operations.labelStart,
    type: 'SERVICE',
    subType: 'SUB_START',
    does: words.operations.doesStart,
    toConnections: words.operations.toConnectionsStart,
    fits: 'deployed',
    offline: 'later',
    isCutting: false,
  },
  {
    id: 'stop',
    label: words.operations.labelStop,
    type: 'SERVICE',
    subType: 'SUB_STOP',
    does: words.operations.doesStop,
    toConnections: words.operations.toConnectionsUndeploy,
    fits: 'deployed',
    offline: 'later',
    isCutting: true,
  },
  {
    id: 'restart',
    label: words.operations.labelRestart,
    type: 'SERVICE',
    subType: 'SUB_RESTART',
    does: words.operations.doesRestart,
    toConnections: words.operations.toConnectionsRestart,
    fits: 'deployed',
    offline: 'fails',
    isCutting: true,
  },
  {
    id: 'reload',
    label: words.operations.labelReload,
    type: 'SERVICE',
    subType: 'SUB_RELOAD',
    does: words.operations.doesReload,
    toConnections: REPLACED,
    fits: 'deployed',
    offline: 'fails',
    isCutting: false,
  },
  {
    id: 'status',
    label: words.operations.labelStatus,
    type: 'SERVICE',
    subType: 'SUB_STATUS',
    does: words.operations.doesStatus,
    toConnections: words.operations.toConnectionsStart,
    fits: 'deployed',
    offline: 'fails',
    isCutting: false,
  },
  {
    id: 'bootstrap',
    label: words.operations.labelBootstrap,
    type: 'UPDATE_BOOTSTRAP',
    subType: '',
    does: words.operations.doesBootstrap,
    toConnections: REPLACED,
    fits: 'deployed',
    offline: 'later',
    isCutting: false,
  },
  {
    id: 'version',
    label: words.operations.labelVersion,
    type: 'DATAPLANE_VERSION',
    subType: '',
    does: words.operations.doesVersion,
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
      return words.nameCommand.textReadLogs;
    case 'DATAPLANE_VERSION GET_VERSIONS':
      return words.nameCommand.textAskProxy;
    case 'SHIELD UPDATE_SHIELD_CONFIG':
      return words.nameCommand.textUpdatePolicies;
    default:
      return [type, sub_type, operation].filter((part) => part !== '').join(' ');
  }
}
