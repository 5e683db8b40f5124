import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';
import { secret } from '../secret.ts';

/** No licence is needed, so the answer is always the same, also offline. */
export const licenseSchema = z.object({
  valid: z.literal(true),
  plan: z.literal('community'),
  plan_name: z.string(),
  /** 0: no limit. */
  client_limit: z.literal(0),
  /** Clients of the project in the request; without one, of the installation. */
  current_clients: z.number().int(),
  expires_at: z.null(),
  activated_at: z.null(),
  last_checked_at: z.null(),
  license_key: z.null(),
  api_key_configured: z.literal(false),
  last_error: z.null(),
  offline: z.literal(true),
  reason: z.string(),
});

export const storageStatsSchema = z.object({
  generated_at: timeSchema,
  database: z.object({
    total_bytes: z.number().int(),
    data_bytes: z.number().int(),
    index_bytes: z.number().int(),
    /** Largest first. `rows` is PostgreSQL's estimate, or null if it has none yet. */
    tables: z.array(z.object({ name: z.string(), bytes: z.number().int(), rows: z.number().int().nullable() })),
  }),
  /** The file system of the embedded database; null if the database is elsewhere. */
  disk: z.object({ free_bytes: z.number().int(), total_bytes: z.number().int() }).nullable(),
  /** From hourly samples of the last seven days; null until there is one day of them. Negative if it shrinks. */
  growth: z
    .object({
      per_hour_bytes: z.number().int(),
      per_day_bytes: z.number().int(),
      projected_7d_bytes: z.number().int(),
      /** Null if it does not grow, or if the disk is not known. */
      days_until_full: z.number().min(0).nullable(),
    })
    .nullable(),
});
export type StorageStats = z.infer<typeof storageStatsSchema>;

const owners = { kind: 'system_owner' } as const;

export const licenseRoutes = {
  get: defineRoute({
    id: 'getLicense',
    method: 'GET',
    path: '/api/v3/setting/license',
    summary: 'Read the licence: none is needed',
    tag: 'Settings',
    family: 'settings',
    access: { kind: 'roles', roles: READERS },
    project: 'query_or_all',
    audit: null,
    query: z.strictObject({ project: idSchema.optional() }),
    status: 200,
    response: licenseSchema,
  }),
  activate: defineRoute({
    id: 'activateLicense',
    method: 'POST',
    path: '/api/v3/setting/license/activate',
    summary: 'Activate a licence: the key is neither needed nor stored',
    tag: 'Settings',
    family: 'settings',
    access: owners,
    project: 'none',
    audit: 'license.activate',
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({
      license_key: secret(z.string().max(1024)).optional(),
      api_key: secret(z.string().max(1024)).optional(),
    }),
    status: 200,
    response: licenseSchema,
  }),
  check: defineRoute({
    id: 'checkLicense',
    method: 'POST',
    path: '/api/v3/setting/license/check',
    summary: 'Refresh the licence, without contacting a server',
    tag: 'Settings',
    family: 'settings',
    access: owners,
    project: 'none',
    audit: null,
    status: 200,
    response: licenseSchema,
  }),
  delete: defineRoute({
    id: 'deleteLicense',
    method: 'DELETE',
    path: '/api/v3/setting/license',
    summary: 'Deactivate the licence, which has no effect',
    tag: 'Settings',
    family: 'settings',
    access: owners,
    project: 'none',
    audit: 'license.delete',
    query: z.strictObject(dryRunQuery),
    status: 204,
  }),
};

export const storageRoutes = {
  stats: defineRoute({
    id: 'getStorageStats',
    method: 'GET',
    path: '/api/v3/setting/storage-stats',
    summary: 'Show how much is stored, how fast it grows, and when the disk will be full',
    tag: 'Storage',
    family: 'maintenance',
    access: owners,
    project: 'none',
    audit: null,
    status: 200,
    response: storageStatsSchema,
  }),
};

export const maintenanceAuditWords = defineAuditWords({
  actions: {
    'license.activate': 'activate a license',
    'license.delete': 'remove the license',
  },
});
