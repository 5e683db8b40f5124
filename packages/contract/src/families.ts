/** The scopes that an API token may be narrowed to. It may then call only routes of these scopes, with the role that it has. */
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

/** The scope of each tag. Null: the routes show things of many scopes, so only unrestricted tokens may call them. */
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
  Fleet: null,
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

export interface FamilyChoice {
  readonly tag: RouteTag;
  /** Overrides the scope of the tag. `any`: every token may call the route, because it is about the token itself. */
  readonly family?: RouteFamily | 'any';
}

/** The scope that a token needs for this route; null if only an unrestricted token may call it, `any` if every token may. */
export function familyOf({ family, tag }: FamilyChoice): RouteFamily | 'any' | null {
  return family ?? FAMILY_OF_TAG[tag];
}

/** Whether a token with these scopes (null: unrestricted) may call the route. */
export function isInFamilies(route: FamilyChoice, families: readonly RouteFamily[] | null): boolean {
  if (families === null) return true;
  const family = familyOf(route);
  return family === 'any' || (family !== null && families.includes(family));
}
