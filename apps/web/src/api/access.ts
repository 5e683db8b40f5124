import type { Role } from '@flotilla/contract';
import type { RouteRef } from './call.ts';
import type { SessionUser } from './session.ts';

/** Whose calls are judged: the signed-in user, in the open project. */
export interface Caller {
  readonly user: Pick<SessionUser, 'is_owner'>;
  /** Undefined for somebody who is in no project. */
  readonly role: Role | undefined;
  /** Ids of the routes that the controller lets the caller through to; undefined until it has said so. */
  readonly capabilities: ReadonlySet<string> | undefined;
}

/**
 * Whether to offer what calls the route. What the controller says holds; until it has, or while it does not answer, the
 * route's own declaration, so that a page need not wait for one more answer.
 */
export function mayCall({ id, access }: Pick<RouteRef, 'id' | 'access'>, caller: Caller): boolean {
  // These are asked with no access token, and so are not among what a caller is let through to.
  if (access.kind !== 'roles' && access.kind !== 'system_owner' && access.kind !== 'authenticated') return true;
  if (caller.capabilities) return caller.capabilities.has(id);
  if (access.kind === 'authenticated' || caller.user.is_owner) return true;
  return access.kind === 'roles' && caller.role !== undefined && access.roles.includes(caller.role);
}
