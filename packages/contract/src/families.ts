/** The scopes that an API token may be narrowed to. It may then call only routes of these scopes, with the role that it has. */
export const ROUTE_FAMILIES = [
  'configuration',
  'policies',
  'services',
  'clients',
  'commands',
  'events',
  'inventory',
  'audit',
  'jobs',
  'settings',
  'identity',
  'maintenance',
] as const;
export type RouteFamily = (typeof ROUTE_FAMILIES)[number];

export interface FamilyChoice {
  /**
   * The scope that an API token needs for the route. `any`: every token may call it, because it is about the token itself. null:
   * it shows things of many scopes, so only unrestricted tokens may call it.
   */
  readonly family: RouteFamily | 'any' | null;
}

/** Whether a token with these scopes (null: unrestricted) may call the route. */
export function isInFamilies({ family }: FamilyChoice, families: readonly RouteFamily[] | null): boolean {
  if (families === null) return true;
  return family === 'any' || (family !== null && families.includes(family));
}
