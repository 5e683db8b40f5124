import type { Role } from '@flotilla/contract';
import type { RouteRef } from './call.ts';
import type { SessionUser } from './session.ts';

/** The signed-in user in the open project. */
export interface Caller {
  readonly user: Pick<SessionUser, 'is_owner'>;
  /** undefined if the user is in no project. */
  readonly role: Role | undefined;
  /** IDs of the routes that the controller allows for the caller; undefined until loaded. */
  readonly capabilities: ReadonlySet<string> | undefined;
}

/**
 * Decides whether to offer an action that calls the route. Uses the answer of the controller, or the declaration of the route until that
 * answer is loaded, so that a page need not wait.
 */
export function mayCall({ id, access }: Pick<RouteRef, 'id' | 'access'>, caller: Caller): boolean {
  // Capabilities do not list routes without access tokens.
  if (access.kind !== 'roles' && access.kind !== 'system_owner' && access.kind !== 'authenticated') return true;
  if (caller.capabilities) return caller.capabilities.has(id);
  if (access.kind === 'authenticated' || caller.user.is_owner) return true;
  return access.kind === 'roles' && caller.role !== undefined && access.roles.includes(caller.role);
}
