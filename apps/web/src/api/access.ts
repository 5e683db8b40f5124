import type { Role } from '@flotilla/contract';
import type { RouteRef } from './call.ts';
import type { SessionUser } from './session.ts';

/** Whether the controller would let this user call the route with this role in the project. Its word is final. */
export function isAllowed(route: Pick<RouteRef, 'access'>, user: Pick<SessionUser, 'is_owner'>, role: Role): boolean {
  const { access } = route;
  switch (access.kind) {
    case 'roles':
      return user.is_owner || access.roles.includes(role);
    case 'system_owner':
      return user.is_owner;
    case 'public':
    case 'refresh':
    case 'cookie':
    case 'authenticated':
      return true;
  }
}
