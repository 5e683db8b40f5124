import { type GroupMapping, isRoleAtLeast, type Role } from '@flotilla/contract';

/**
 * The roles that the rules give, by project; the highest of several. `isIn` says whether the person is in the group of
 * a rule.
 */
export function rolesOf(mapping: GroupMapping, isIn: (group: string) => boolean): Map<string, Role> {
  const roles = new Map<string, Role>();
  for (const { group, project, role } of mapping.rules) {
    // The schema refuses such a rule; one that was stored anyway gives no role.
    if ((role === 'owner' && !mapping.allow_owner) || !isIn(group)) continue;
    const key = project.toLowerCase();
    const other = roles.get(key);
    if (other === undefined || isRoleAtLeast(role, other)) roles.set(key, role);
  }
  return roles;
}
