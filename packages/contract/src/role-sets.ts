export const ROLES = ['owner', 'admin', 'editor', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export const READERS: readonly Role[] = ROLES;
export const EDITORS: readonly Role[] = ['owner', 'admin', 'editor'];
/** May change how a project is protected and run. */
export const ADMINS: readonly Role[] = ['owner', 'admin'];

/** In a restricted project these roles access only what permissions name. */
export const LISTED_ROLES: readonly Role[] = ['editor', 'viewer'];

/** Whether `role` may do at least what `other` may. */
export function isRoleAtLeast(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(other);
}
