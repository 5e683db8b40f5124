export { judgeName, NAME_HINT } from './names.ts';
export { NewPassword } from './new-password.tsx';
export { RoleSelect } from './role-select.tsx';
export { isRoleAtLeast, rolesWithin } from './roles.ts';
