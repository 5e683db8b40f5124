import type { Role } from '@flotilla/contract';
import type { RouteRef } from './call.ts';
import type { SessionUser } from './session.ts';

/** Whether the controller would let this user call the route with this role in the project. Its word is final. */
export function isAllowed(route: Pick<RouteRef, 'access'>, user: Pick<SessionUser, 'is_owner'>, role: Role): boolean {
  const { access } = route;
  if (access.kind === 'roles') return user.is_owner || access.roles.includes(role);
  // The others ask for being signed in, or for nothing.
  return access.kind !== 'system_owner' || user.is_owner;
}
