import * as z from 'zod';
import { ADMINS } from '../roles.ts';
import { idSchema } from '../schemas.ts';

export const SETTING_BASE = '/api/v3/setting';

export const settingAdmins = { kind: 'roles', roles: ADMINS } as const;
export const settingOwners = { kind: 'system_owner' } as const;
export const readingSettings = {
  method: 'GET',
  tag: 'Settings',
  family: 'settings',
  access: settingAdmins,
  audit: null,
  status: 200,
} as const;
/** Without a project: of the installation. */
export const ofAnyProject = {
  project: 'query_or_all',
  query: z.strictObject({ project: idSchema.optional() }),
} as const;
