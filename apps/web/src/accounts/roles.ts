import type { Role } from '@flotilla/contract';
import { texts } from './texts.tsx';

const words = texts.roles;

/** Highest first. */
const ROLES: readonly Role[] = ['owner', 'admin', 'editor', 'viewer'];

export const ROLE_MEANINGS: Readonly<Record<Role, string>> = {
  owner: words.owner,
  admin: words.admin,
  editor: words.editor,
  viewer: words.viewer,
};

export function isRoleAtLeast(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(other);
}

/** Lists the roles that a user with the role `own` may give: none above their own. */
export function rolesWithin(own: Role): readonly Role[] {
  return ROLES.filter((role) => isRoleAtLeast(own, role));
}

export function toRole(text: string | null): Role | undefined {
  return ROLES.find((role) => role === text);
}
