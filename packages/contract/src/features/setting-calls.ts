import * as z from 'zod';
import { ADMINS } from '../roles.ts';
import { idSchema } from '../schemas.ts';

// What calls of settings have in common, whatever their address.
export const SETTING_BASE = '/api/v3/setting';
export const SETTING_BODY_BYTES = 512 * 1024;

export const settingAdmins = { kind: 'roles', roles: ADMINS } as const;
export const settingOwners = { kind: 'system_owner' } as const;
export const readingSettings = {
  method: 'GET',
  tag: 'Settings',
  access: settingAdmins,
  audit: null,
  status: 200,
} as const;
/** Of a project, or without one of the installation. */
export const ofAnyProject = {
  project: 'query_or_all',
  query: z.strictObject({ project: idSchema.optional() }),
} as const;
