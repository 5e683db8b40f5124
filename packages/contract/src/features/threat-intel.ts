import * as z from 'zod';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';

/** Addresses and networks of one feed. */
export const FEED_ENTRIES_MAX = 250_000;
const FEED_FILE_BYTES = 16 * 1024 * 1024;
const FEEDS_MAX = 64;
const PAGE_ENTRIES = 2000;

const feedNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'small letters, digits, dash and underscore')
  .refine((name) => name !== 'upload', 'is taken');

const feedSchema = z.object({
  name: z.string(),
  enabled: z.boolean(),
  entry_count: z.number().int(),
  /** Of the file that was uploaded, in hex. */
  sha256: z.string(),
  uploaded_at: timeSchema,
  uploaded_by: z.string(),
});
export type ThreatFeed = z.infer<typeof feedSchema>;

/** What is written of a feed; the rest as it was read, or not at all. */
const givenFeedSchema = z.strictObject({
  ...feedSchema.partial().shape,
  name: feedNameSchema,
  enabled: z.boolean(),
});
export type GivenThreatFeed = z.infer<typeof givenFeedSchema>;

const threatIntelSchema = z.object({
  /** Another one for every change; also the ETag. */
  version: z.number().int(),
  updated_at: timeSchema.nullable(),
  updated_by: z.string().nullable(),
  feeds: z.array(feedSchema),
});

const read = {
  method: 'GET',
  tag: 'Settings',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query_or_all',
  audit: null,
  status: 200,
} as const;
const write = { tag: 'Settings', access: { kind: 'system_owner' }, project: 'none' } as const;
const nameParams = z.strictObject({ name: feedNameSchema });
const base = '/api/v3/setting/threat-intel';

export const threatIntelRoutes = {
  list: defineRoute({
    ...read,
    id: 'getThreatIntel',
    path: base,
    summary: 'Feeds of addresses that attacks come from, without their entries',
    query: z.strictObject({ project: idSchema.optional() }),
    response: threatIntelSchema,
  }),
  get: defineRoute({
    ...read,
    id: 'getThreatFeed',
    path: `${base}/:name`,
    summary: 'One feed with its entries, in their order',
    params: nameParams,
    query: z.strictObject({
      project: idSchema.optional(),
      limit: z.coerce.number().int().min(1).max(PAGE_ENTRIES).default(PAGE_ENTRIES),
      /** Of the page before. */
      cursor: z.union([z.cidrv4(), z.cidrv6()], 'is not a cursor of this list').optional(),
    }),
    response: feedSchema.extend({ entries: z.array(z.string()), next_cursor: z.string().nullable() }),
  }),
  upload: defineRoute({
    ...write,
    id: 'uploadThreatFeed',
    method: 'POST',
    path: `${base}/upload`,
    summary: 'Replace a feed by a file: an address or a network a line, `#` begins a comment',
    audit: 'threat_feed.upload',
    upload: true,
    bodyLimit: FEED_FILE_BYTES,
    query: z.strictObject({ name: feedNameSchema, ...dryRunQuery }),
    status: 200,
    response: z.object({
      feed: feedSchema,
      added: z.number().int(),
      /** Lines that are neither; too wide networks are left out as well: no feed means a large part of the world. */
      skipped: z.number().int(),
      /** Numbers of the first of them. */
      skipped_lines: z.array(z.number().int()),
    }),
  }),
  replace: defineRoute({
    ...write,
    id: 'replaceThreatIntel',
    method: 'PUT',
    path: base,
    summary: 'Switch feeds on and off; entries stay, feeds that are left out are deleted',
    audit: 'threat_intel.update',
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({
      feeds: z.array(givenFeedSchema).max(FEEDS_MAX),
    }),
    status: 200,
    response: threatIntelSchema,
  }),
  delete: defineRoute({
    ...write,
    id: 'deleteThreatFeed',
    method: 'DELETE',
    path: `${base}/:name`,
    summary: 'Delete a feed with its entries',
    audit: 'threat_feed.delete',
    params: nameParams,
    query: z.strictObject(dryRunQuery),
    status: 204,
  }),
};
