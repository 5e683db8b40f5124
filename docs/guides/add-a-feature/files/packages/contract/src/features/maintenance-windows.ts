import * as z from 'zod';
import { createFail } from '../errors/define.ts';
import { ADMINS, READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, nameSchema, timeSchema } from '../schemas.ts';

/** A span of time in which work on the proxies of a project is planned. */
export const maintenanceWindowSchema = z.object({
  id: idSchema,
  project: idSchema,
  name: z.string(),
  starts_at: timeSchema,
  ends_at: timeSchema,
  created_at: timeSchema,
  updated_at: timeSchema,
  revision: z.number().int(),
});
export type MaintenanceWindowView = z.infer<typeof maintenanceWindowSchema>;

const values = { name: nameSchema, starts_at: timeSchema, ends_at: timeSchema };
const params = z.strictObject({ window_id: idSchema.describe('Id of a maintenance window') });
const query = z.strictObject({ project: idSchema });
const writeQuery = z.strictObject({ project: idSchema, ...dryRunQuery });
const shared = { tag: 'Maintenance windows', family: 'maintenance', project: 'query' } as const;
const read = { ...shared, access: { kind: 'roles', roles: READERS }, audit: null } as const;
const write = { ...shared, access: { kind: 'roles', roles: ADMINS } } as const;

export const maintenanceWindowRoutes = {
  list: defineRoute({
    id: 'listMaintenanceWindows',
    method: 'GET',
    path: '/api/v3/setting/maintenance-windows',
    summary: 'List the maintenance windows of the project',
    ...read,
    query: z.strictObject(listQuery),
    status: 200,
    response: listOf(maintenanceWindowSchema),
  }),
  create: defineRoute({
    id: 'createMaintenanceWindow',
    method: 'POST',
    path: '/api/v3/setting/maintenance-windows',
    summary: 'Create a maintenance window',
    ...write,
    audit: 'maintenance_window.create',
    query: writeQuery,
    body: z.strictObject(values),
    status: 201,
    response: maintenanceWindowSchema,
  }),
  get: defineRoute({
    id: 'getMaintenanceWindow',
    method: 'GET',
    path: '/api/v3/setting/maintenance-windows/:window_id',
    summary: 'Read a maintenance window',
    ...read,
    params,
    query,
    status: 200,
    response: maintenanceWindowSchema,
  }),
  patch: defineRoute({
    id: 'patchMaintenanceWindow',
    method: 'PATCH',
    path: '/api/v3/setting/maintenance-windows/:window_id',
    summary: 'Change the name or the times of a maintenance window',
    ...write,
    audit: 'maintenance_window.update',
    params,
    query: writeQuery,
    body: z.strictObject(values).partial(),
    status: 200,
    response: maintenanceWindowSchema,
  }),
  delete: defineRoute({
    id: 'deleteMaintenanceWindow',
    method: 'DELETE',
    path: '/api/v3/setting/maintenance-windows/:window_id',
    summary: 'Delete a maintenance window',
    ...write,
    audit: 'maintenance_window.delete',
    params,
    query: writeQuery,
    status: 204,
  }),
};

export const MAINTENANCE_WINDOW_ERRORS = {
  'maintenance_window.empty': { status: 422, message: 'The maintenance window {name} ends before it starts.' },
} as const;
export const failMaintenanceWindow = createFail(MAINTENANCE_WINDOW_ERRORS);
