import type { fleet } from '@flotilla/proto';

/**
 * What carrying a command out means here, and so what may be done with one that was under way when the agent died.
 *
 * converge  the desired state, which came before it, says what is wanted; the command waits until the host has got there.
 *           May be waited for again
 * install   puts an Envoy version on the host; once more changes nothing
 * query     only looks; may look again
 * act       does something once; nobody can tell afterwards whether it was done: its outcome is unknown
 */
export type CommandKind =
  | { readonly kind: 'converge' }
  | { readonly kind: 'install' }
  | { readonly kind: 'query'; readonly query: 'stats' | 'status' | 'logs' | 'shield' | 'versions' }
  | { readonly kind: 'act'; readonly action: 'restart' | 'reload' };

const SERVICE_KINDS: Readonly<Record<string, CommandKind>> = {
  SUB_START: { kind: 'converge' },
  SUB_STOP: { kind: 'converge' },
  SUB_RESTART: { kind: 'act', action: 'restart' },
  SUB_RELOAD: { kind: 'act', action: 'reload' },
  SUB_STATUS: { kind: 'query', query: 'status' },
  SUB_LOGS: { kind: 'query', query: 'logs' },
};

const SHIELD_KINDS: Readonly<Record<string, CommandKind>> = {
  UPDATE_SHIELD_CONFIG: { kind: 'converge' },
  GET_SHIELD_CONFIG: { kind: 'query', query: 'shield' },
  GET_SHIELD_STATUS: { kind: 'query', query: 'shield' },
};

/** Undefined: this agent does not know the command. */
export function deriveKind(
  command: Pick<fleet.Command, 'type' | 'subType' | 'serviceId'>,
  payload: Readonly<Record<string, unknown>>,
): CommandKind | undefined {
  switch (command.type) {
    case 'DEPLOY':
    case 'UNDEPLOY':
    case 'UPDATE_BOOTSTRAP':
      return { kind: 'converge' };
    case 'CLIENT_STATS':
      return { kind: 'query', query: 'stats' };
    case 'SERVICE':
      return SERVICE_KINDS[command.subType];
    case 'SHIELD':
      return SHIELD_KINDS[command.subType];
    case 'DATAPLANE_VERSION':
      if (payload.operation === 'GET_VERSIONS') return { kind: 'query', query: 'versions' };
      if (payload.operation !== 'SET_VERSION') return undefined;
      return command.serviceId === '' ? { kind: 'install' } : { kind: 'converge' };
    default:
      return undefined;
  }
}

/** Whether a later command of the same service makes this one pointless, so that it must not be done after that one. */
export function raisesFence(kind: CommandKind): boolean {
  return kind.kind === 'converge' || kind.kind === 'act';
}
