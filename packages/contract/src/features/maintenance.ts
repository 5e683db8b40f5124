import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';
import { secret } from '../secret.ts';

/** Nothing is locked behind a licence: the answer is the same offline and for ever. */
export const licenseSchema = z.object({
  valid: z.literal(true),
  plan: z.literal('community'),
  plan_name: z.string(),
  /** 0: as many as one likes. */
  client_limit: z.literal(0),
  /** Of the project that was named; of the installation where none was. */
  current_clients: z.number().int(),
  expires_at: z.null(),
  /** There is no key, and nobody who would be asked about one. */
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
    /** Largest first. `rows` is PostgreSQL's estimate; null where it has none yet. */
    tables: z.array(z.object({ name: z.string(), bytes: z.number().int(), rows: z.number().int().nullable() })),
  }),
  /** Of the file system of the embedded database; null where the database is elsewhere. */
  disk: z.object({ free_bytes: z.number().int(), total_bytes: z.number().int() }).nullable(),
  /** From hourly samples of the last seven days; null before there is a day of them. Negative where it shrinks. */
  growth: z
    .object({
      per_hour_bytes: z.number().int(),
      per_day_bytes: z.number().int(),
      projected_7d_bytes: z.number().int(),
      /** Null where it does not grow, or the disk is not known. */
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
    summary: 'The licence: none is needed',
    tag: 'Settings',
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
    summary: 'Answers as if activated: keys are neither needed nor kept',
    tag: 'Settings',
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
    summary: 'The licence, looked at again: no server is asked',
    tag: 'Settings',
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
    summary: 'Forget the licence: there is none, and all goes on',
    tag: 'Settings',
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
    summary: 'How much is stored, how fast it grows, and when the disk is full',
    tag: 'Storage',
    access: owners,
    project: 'none',
    audit: null,
    status: 200,
    response: storageStatsSchema,
  }),
};
