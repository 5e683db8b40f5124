import * as z from 'zod';
import { ROLES } from './role-sets.ts';

export { ADMINS, EDITORS, isRoleAtLeast, LISTED_ROLES, READERS, ROLES, type Role } from './role-sets.ts';

export const roleSchema = z.enum(ROLES);
