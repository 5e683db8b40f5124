import { type CommandName, specOf } from '@flotilla/contract';
import { texts } from './texts.tsx';

const words = texts.operations;
export type OperationId =
  | 'deploy'
  | 'undeploy'
  | 'start'
  | 'stop'
  | 'restart'
  | 'reload'
  | 'status'
  | 'bootstrap'
  | 'version'
  | 'upgrade';

export interface Operation {
  readonly id: OperationId;
  /** Label in the menu, the dialog and its button. */
  readonly label: string;
  /** Also decides who may run the operation. */
  readonly command: CommandName;
  /** Description in one sentence. */
  readonly does: string;
  /** The effect on open connections. */
  readonly toConnections: string;
  /** any: the operation also accepts clients that the service is not deployed on. */
  readonly fits: 'any' | 'deployed';
  /** later: an offline client runs it when it reconnects. fails: the client must be connected. */
  readonly offline: 'later' | 'fails';
  /** Whether it cuts connections or refuses new ones. */
  readonly isCutting: boolean;
}

const REPLACED = words.replaced.connections;

/** The effects are those of docs/guides/replacing-envoy.md, in short sentences. */
export const OPERATIONS: readonly Operation[] = [
  {
    id: 'deploy',
    label: words.kinds.deploy,
    command: 'DEPLOY',
    does: words.kinds.doesDeploy,
    toConnections: words.kinds.toConnectionsDeploy,
    fits: 'any',
    offline: 'later',
    isCutting: false,
  },
  {
    id: 'undeploy',
    label: words.kinds.undeploy,
    command: 'UNDEPLOY',
    does: words.kinds.doesUndeploy,
    toConnections: words.kinds.toConnectionsUndeploy,
    fits: 'deployed',
    offline: 'later',
    isCutting: true,
  },
  {
    id: 'start',
    label: words.kinds.start,
    command: 'SERVICE SUB_START',
    does: words.kinds.doesStart,
    toConnections: words.kinds.toConnectionsStart,
    fits: 'deployed',
    offline: 'later',
    isCutting: false,
  },
  {
    id: 'stop',
    label: words.kinds.stop,
    command: 'SERVICE SUB_STOP',
    does: words.kinds.doesStop,
    toConnections: words.kinds.toConnectionsUndeploy,
    fits: 'deployed',
    offline: 'later',
    isCutting: true,
  },
  {
    id: 'restart',
    label: words.kinds.restart,
    command: 'SERVICE SUB_RESTART',
    does: words.kinds.doesRestart,
    toConnections: words.kinds.toConnectionsRestart,
    fits: 'deployed',
    offline: 'fails',
    isCutting: true,
  },
  {
    id: 'reload',
    label: words.kinds.reload,
    command: 'SERVICE SUB_RELOAD',
    does: words.kinds.doesReload,
    toConnections: REPLACED,
    fits: 'deployed',
    offline: 'fails',
    isCutting: false,
  },
  {
    id: 'status',
    label: words.kinds.status,
    command: 'SERVICE SUB_STATUS',
    does: words.kinds.doesStatus,
    toConnections: words.kinds.toConnectionsStart,
    fits: 'deployed',
    offline: 'fails',
    isCutting: false,
  },
  {
    id: 'bootstrap',
    label: words.kinds.bootstrap,
    command: 'UPDATE_BOOTSTRAP',
    does: words.kinds.doesBootstrap,
    toConnections: REPLACED,
    fits: 'deployed',
    offline: 'later',
    isCutting: false,
  },
  {
    id: 'version',
    label: words.kinds.version,
    command: 'DATAPLANE_VERSION SET_VERSION',
    does: words.kinds.doesVersion,
    toConnections: REPLACED,
    fits: 'deployed',
    offline: 'later',
    isCutting: false,
  },
  {
    id: 'upgrade',
    label: words.kinds.upgrade,
    command: 'UPGRADE_LISTENER',
    does: words.kinds.doesUpgrade,
    toConnections: words.kinds.toConnectionsUpgrade,
    fits: 'deployed',
    offline: 'later',
    isCutting: false,
  },
];

const BY_ID = new Map(OPERATIONS.map((operation) => [operation.id, operation]));

export function findOperation(id: string | undefined): Operation | undefined {
  return BY_ID.get(id as OperationId);
}

/** Whether the text has the format that SET_VERSION accepts: `1.39.3`. */
export function isRelease(text: string): boolean {
  return /^\d{1,3}\.\d{1,3}\.\d{1,4}$/.test(text);
}

export interface Order {
  readonly serviceId: string;
  readonly clientIds: readonly string[];
  /** The proxy version to run, for "Set proxy version" and "Upgrade Envoy". */
  readonly version?: string;
  /** Only for "Upgrade Envoy". */
  readonly from?: string;
  /** Seconds, only for "Upgrade Envoy". Undefined: it stays as it is. */
  readonly drainTime?: number | undefined;
}

/** Returns the body of POST /api/op/clients. */
export function toCommandBody(operation: Operation, { serviceId, clientIds, version, from, drainTime }: Order) {
  const { type, subType, operation: selector } = specOf(operation.command);
  return {
    type,
    sub_type: subType,
    clients: clientIds.map((client_id) => ({ client_id })),
    command: {
      service_id: serviceId,
      ...(selector !== '' && { operation: selector, version }),
      ...(operation.id === 'upgrade' && { from_version: from, to_version: version }),
      ...(operation.id === 'upgrade' && drainTime !== undefined && { drain_time_seconds: drainTime }),
    },
  };
}
