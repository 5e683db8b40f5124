import type { Role } from '@flotilla/contract';

/** Highest first. */
const ROLES: readonly Role[] = ['owner', 'admin', 'editor', 'viewer'];

export const ROLE_MEANINGS: Readonly<Record<Role, string>> = {
  owner: 'As admin, and may let documents name files of the host',
  admin: 'Changes everything in the project, its members and API tokens too',
  editor: 'Changes resources; sees policies',
  viewer: 'Sees resources and policies, changes nothing',
};

export function isRoleAtLeast(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(other);
}

/** Roles that somebody with the role `own` may give: none is above the own one. */
export function rolesWithin(own: Role): readonly Role[] {
  return ROLES.filter((role) => isRoleAtLeast(own, role));
}

export function toRole(text: string | null): Role | undefined {
  return ROLES.find((role) => role === text);
}
