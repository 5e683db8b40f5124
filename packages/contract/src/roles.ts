import * as z from 'zod';

export const ROLES = ['owner', 'admin', 'editor', 'viewer'] as const;
export const roleSchema = z.enum(ROLES);
export type Role = z.infer<typeof roleSchema>;

/** Everybody who may see a project. */
export const READERS: readonly Role[] = ROLES;
/** Who may change configuration in a project. */
export const EDITORS: readonly Role[] = ['owner', 'admin', 'editor'];
/** Who may change what guards and runs a project. */
export const ADMINS: readonly Role[] = ['owner', 'admin'];

/** Who reaches only what permissions name, in a project that lists what its members may reach. */
export const LISTED_ROLES: readonly Role[] = ['editor', 'viewer'];

/** Whether `role` may do at least what `other` may. */
export function isRoleAtLeast(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(other);
}
