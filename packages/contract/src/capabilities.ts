import * as z from 'zod';
import { isInFamilies, ROUTE_FAMILIES, type RouteFamily } from './families.ts';
import { READERS, type Role, roleSchema } from './roles.ts';
import { defineRoute, type RouteContract } from './route.ts';
import { idSchema } from './schemas.ts';

/** What is known of a caller that decides what it may do. */
export interface CallerRights {
  /** In the project that is asked about; undefined where none is. */
  readonly role: Role | undefined;
  readonly isSystemOwner: boolean;
  /** Of an API token; undefined for a person. */
  readonly token: { readonly families: readonly RouteFamily[] | null } | undefined;
}

/**
 * Whether the guard lets the caller through to the route. False also for routes that take no signed-in caller: those with
 * credentials of their own, and public ones, which everybody may call.
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
  /** listed: what the caller reaches there is what permissions name; open: all of it, as for owners and admins everywhere. */
  resource_access: z.enum(['open', 'listed']),
  /** Of an API token that was narrowed; else null. */
  families: z.array(z.enum(ROUTE_FAMILIES)).nullable(),
  /** Ids of the routes that the guard lets the caller through to; without a project, those that need none. */
  routes: z.array(z.string()),
});

export const capabilityRoutes = {
  get: defineRoute({
    id: 'getCapabilities',
    method: 'GET',
    path: '/api/v3/profile/capabilities',
    summary: 'What the caller may do in the project: the routes that it may call',
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
