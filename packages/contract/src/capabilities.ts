import * as z from 'zod';
import { isInFamilies, ROUTE_FAMILIES, type RouteFamily } from './families.ts';
import { READERS, type Role, roleSchema } from './roles.ts';
import { defineRoute, type RouteContract } from './route.ts';
import { idSchema } from './schemas.ts';

/** The facts about a caller that decide what it may do. */
export interface CallerRights {
  /** The role in the project that the request names; undefined if it names none. */
  readonly role: Role | undefined;
  readonly isSystemOwner: boolean;
  /** Set for an API token; undefined for a person. */
  readonly token: { readonly families: readonly RouteFamily[] | null } | undefined;
}

/**
 * Whether the guard lets the caller through to the route. False for routes without a signed-in caller: public ones, which
 * everybody may call, and those with credentials of their own.
 */
export function mayCall(route: RouteContract, { role, isSystemOwner, token }: CallerRights): boolean {
  if (token && (route.people === true || !isInFamilies(route, token.families))) return false;
  switch (route.access.kind) {
    case 'authenticated':
      return true;
    case 'system_owner':
      return isSystemOwner;
    case 'roles':
      if (role === undefined) return isSystemOwner && route.project === 'query_or_all';
      return route.access.roles.includes(role);
    default:
      return false;
  }
}

const capabilitiesSchema = z.object({
  project: idSchema.nullable(),
  /** Null for an owner of the installation who names no project. */
  role: roleSchema.nullable(),
  /** listed: the caller accesses only what permissions name; open: everything, as owners and admins always do. */
  resource_access: z.enum(['open', 'listed']),
  /** The scopes of a narrowed API token; else null. */
  families: z.array(z.enum(ROUTE_FAMILIES)).nullable(),
  /** Ids of the routes that the caller may call. Without a project: the routes that need none. */
  routes: z.array(z.string()),
});

export const capabilityRoutes = {
  get: defineRoute({
    id: 'getCapabilities',
    method: 'GET',
    path: '/api/v3/profile/capabilities',
    summary: 'List the routes that the caller may call in the project',
    tag: 'Profile',
    family: 'any',
    access: { kind: 'roles', roles: READERS },
    project: 'query_or_all',
    audit: null,
    query: z.strictObject({ project: idSchema.optional() }),
    status: 200,
    response: capabilitiesSchema,
  }),
};
