import type { HA_SYNC_OPERATIONS } from '@flotilla/contract';

export type SyncOperation = (typeof HA_SYNC_OPERATIONS)[number];

/** The desired state of a service that is deployed to a member. */
export interface Deployment {
  readonly addresses: readonly string[];
  readonly runState: 'running' | 'stopped';
  readonly version: string;
  readonly drainTimeS: number;
}

/** The newest command of a row of work. */
export interface WorkCommand {
  readonly id: string;
  readonly status: string;
  /** The version that it installs on the host, whatever runs there. Null: it is another command. */
  readonly installs: string | null;
  readonly error: string | null;
}

/** The debt of a member for one service, with all that decides the next step. `source` and `follower` are null if it is not deployed there. */
export interface Work {
  readonly serviceId: string;
  readonly service: string;
  readonly projectId: string;
  readonly pairId: string;
  readonly pair: string;
  /** The member that owes it. */
  readonly clientId: string;
  readonly client: string;
  readonly isConnected: boolean;
  /** The member that is right. A single member in a cloud is its own source. */
  readonly sourceId: string;
  /** False: the source has left the pair. */
  readonly hasSource: boolean;
  readonly op: SyncOperation;
  readonly since: Date;
  readonly attempts: number;
  readonly source: Deployment | null;
  readonly follower: Deployment | null;
  readonly command: WorkCommand | null;
  /** The host is known to have the binary of the version that the source runs. */
  readonly hasBinary: boolean;
  /** An install that has not ended on the host of the follower. */
  readonly installing: { readonly id: string; readonly version: string } | null;
}

/**
 * The next step of a row of work.
 * drop     the source has left the pair, so nobody knows what is right
 * wait     its command has not ended
 * settle   both members are equal, and the command that made them so is done
 * fail     its command ended otherwise
 * offline  the follower cannot be reached
 * join     another row has begun to install the version that this one needs
 * queue    the host installs another version, which an install of this one would supersede
 * install  the host gets the binary first
 * order    the follower gets the command
 */
export type Step =
  | { readonly kind: 'drop' | 'wait' | 'settle' | 'offline' | 'queue' }
  | { readonly kind: 'fail'; readonly error: string }
  | { readonly kind: 'join'; readonly commandId: string }
  | { readonly kind: 'install'; readonly version: string }
  | { readonly kind: 'order'; readonly op: SyncOperation };

/** How the follower differs from the source. Undefined: it does not. */
export function deriveOperation(source: Deployment | null, follower: Deployment | null): SyncOperation | undefined {
  if (!source) return follower ? 'undeploy' : undefined;
  if (!follower || follower.addresses.join() !== source.addresses.join()) return 'deploy';
  if (follower.version !== source.version || follower.drainTimeS !== source.drainTimeS) return 'version';
  if (follower.runState === source.runState) return undefined;
  return source.runState === 'running' ? 'start' : 'stop';
}

const UNFINISHED = ['pending', 'sent', 'running'];

/** Decides from the state alone, so that a controller that was killed anywhere continues where it was. */
export function decide(work: Work): Step {
  const { command, source, follower, installing } = work;
  if (!work.hasSource) return { kind: 'drop' };
  if (command && UNFINISHED.includes(command.status)) return { kind: 'wait' };
  if (command && command.status !== 'done') return { kind: 'fail', error: command.error ?? command.status };
  const difference = deriveOperation(source, follower);
  if (difference === undefined && isSettled(work)) return { kind: 'settle' };
  if (!work.isConnected) return { kind: 'offline' };
  const op = difference ?? deriveRepeated(work);
  if (op !== 'deploy' || !source) return { kind: 'order', op };
  const { version } = source;
  if (work.hasBinary || command?.installs === version) return { kind: 'order', op };
  if (!installing) return { kind: 'install', version };
  return installing.version === version ? { kind: 'join', commandId: installing.id } : { kind: 'queue' };
}

/** Equal members owe nothing if the command that made them so is done, if nothing was tried, and if a member owes it to itself. */
function isSettled({ command, attempts, clientId, sourceId }: Work): boolean {
  if (clientId === sourceId) return true;
  return command === null ? attempts === 0 : command.installs === null;
}

/**
 * The rows of the members are equal as soon as a command is written. If it failed, it is repeated, but only in the sense of
 * what the source wants now.
 */
function deriveRepeated({ op, source }: Work): SyncOperation {
  if (!source) return 'undeploy';
  switch (op) {
    case 'undeploy':
      return 'deploy';
    case 'start':
    case 'stop':
      return source.runState === 'running' ? 'start' : 'stop';
    case 'deploy':
    case 'version':
      return op;
  }
}

export const RETRY_FIRST_MS = 5_000;
export const RETRY_MAX_MS = 300_000;

/** How long the row waits after this many failed attempts. */
export function deriveBackOffMs(attempts: number): number {
  return Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** Math.min(Math.max(attempts - 1, 0), 10));
}

const ERROR_MAX = 500;

/** Fits the column and the screens. */
export function boundError(message: string): string {
  const text = message.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return (text.length > ERROR_MAX ? `${text.slice(0, ERROR_MAX - 1)}…` : text).toWellFormed();
}

/** A member of a pair whose part of a service was changed, and the other member. */
export interface Comparison {
  readonly projectId: string;
  readonly pairId: string;
  readonly changed: MemberPart;
  /** Null: the slot is vacant. */
  readonly peer: MemberPart | null;
  /** A member runs in a cloud, whose ports have to allow the addresses. */
  readonly isInCloud: boolean;
  /** The source of what is owed already, if anything is. */
  readonly sourceId: string | null;
}

export interface MemberPart {
  readonly clientId: string;
  readonly priority: number;
  readonly part: Deployment | null;
}

export interface Debt {
  readonly projectId: string;
  readonly pairId: string;
  readonly clientId: string;
  readonly sourceId: string;
  /** Undefined: nothing is owed. */
  readonly op: SyncOperation | undefined;
}

/**
 * One debt for each pair. If one transaction has changed both members, and they differ, the source of what was owed before stays the
 * source; else it is the member that has the service, else the one with the higher priority. In a cloud, addresses have to be allowed
 * even if the members are equal, or if there is only one, which then owes it to itself.
 */
export function deriveDebts(comparisons: readonly Comparison[]): Debt[] {
  const byPair = Map.groupBy(comparisons, ({ pairId }) => pairId);
  return [...byPair.values()].flatMap((ofPair) => {
    const [first, second] = ofPair.toSorted((a, b) => weigh(b) - weigh(a));
    const chosen = second ? (ofPair.find(({ changed, sourceId }) => changed.clientId === sourceId) ?? first) : first;
    return chosen ? [toDebt(chosen)] : [];
  });
}

function toDebt({ projectId, pairId, changed, peer, isInCloud }: Comparison): Debt {
  const difference = peer ? deriveOperation(changed.part, peer.part) : undefined;
  const mustAllow = isInCloud && changed.part !== null && changed.part.addresses.length > 0;
  const sourceId = changed.clientId;
  return {
    projectId,
    pairId,
    clientId: peer?.clientId ?? sourceId,
    sourceId,
    op: difference ?? (mustAllow ? 'deploy' : undefined),
  };
}

const DEPLOYED_WEIGHT = 10_000;

function weigh({ changed: { part, priority } }: Comparison): number {
  return (part ? DEPLOYED_WEIGHT : 0) + priority;
}
