import type { RouteContract } from './route.ts';

/** What an API token may be narrowed to: it then calls routes of these families alone, with the role that it has. */
export const ROUTE_FAMILIES = [
  'configuration',
  'policies',
  'services',
  'clients',
  'commands',
  'events',
  'audit',
  'jobs',
  'settings',
  'identity',
  'maintenance',
] as const;
export type RouteFamily = (typeof ROUTE_FAMILIES)[number];

/** Tags of routes, and the family of each. Null: shows things of many families, so only tokens of all families may call it. */
const FAMILY_OF_TAG = {
  'API tokens': 'identity',
  Audit: 'audit',
  Backups: 'maintenance',
  'Clean-up': 'maintenance',
  Clients: 'clients',
  Commands: 'commands',
  'Configuration errors': 'configuration',
  Controllers: 'maintenance',
  Directories: 'identity',
  'Discovery tokens': 'identity',
  Documents: 'configuration',
  Enrolment: 'clients',
  Events: 'events',
  Groups: 'identity',
  Jobs: 'jobs',
  Keys: 'maintenance',
  Overview: null,
  Passkeys: 'identity',
  Permissions: 'identity',
  Policies: 'policies',
  Profile: 'identity',
  Projects: 'identity',
  'Proxy versions': 'configuration',
  Rollouts: 'services',
  Schema: 'configuration',
  Search: null,
  'Second factor': 'identity',
  Services: 'services',
  Session: 'identity',
  Settings: 'settings',
  Storage: 'maintenance',
  Users: 'identity',
  'Zone secrets': 'identity',
} as const satisfies Record<string, RouteFamily | null>;

export type RouteTag = keyof typeof FAMILY_OF_TAG;

/**
 * The family that a token must have for this route; null where only a token of all families will do, `any` where every
 * token will.
 */
export function familyOf({ family, tag }: Pick<RouteContract, 'family' | 'tag'>): RouteFamily | 'any' | null {
  return family ?? FAMILY_OF_TAG[tag];
}

/** Whether a token of these families (null: of all) may call the route. */
export function isInFamilies(
  route: Pick<RouteContract, 'family' | 'tag'>,
  families: readonly RouteFamily[] | null,
): boolean {
  if (families === null) return true;
  const family = familyOf(route);
  return family === 'any' || (family !== null && families.includes(family));
}
