import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';

/** Limit of addresses and networks in one feed. */
export const FEED_ENTRIES_MAX = 250_000;
/** Limit of addresses and networks in all feeds of a project together. */
export const PROJECT_ENTRIES_MAX = 500_000;
const FEED_FILE_BYTES = 16 * 1024 * 1024;
/** Limits of feeds of the installation, and of a project. */
export const FEEDS_MAX = 64;
export const PROJECT_FEEDS_MAX = 16;
const PAGE_ENTRIES = 2000;

const feedNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'lower-case letters, digits, dash and underscore')
  .refine((name) => name !== 'upload', 'is reserved');

const feedSchema = z.object({
  name: z.string(),
  enabled: z.boolean(),
  entry_count: z.number().int(),
  /** Hex digest of the uploaded file. */
  sha256: z.string(),
  uploaded_at: timeSchema,
  uploaded_by: z.string(),
});
export type ThreatFeed = z.infer<typeof feedSchema>;

/** A feed in a write. It may contain the other members as they were read. */
const givenFeedSchema = z.strictObject({
  ...feedSchema.partial().shape,
  name: feedNameSchema,
  enabled: z.boolean(),
});
export type GivenThreatFeed = z.infer<typeof givenFeedSchema>;

const threatIntelSchema = z.object({
  /** Changes with every write; also the ETag. */
  version: z.number().int(),
  updated_at: timeSchema.nullable(),
  updated_by: z.string().nullable(),
  /** Null: of the installation; its feeds apply in every project without feeds. */
  project: idSchema.nullable(),
  feeds: z.array(feedSchema),
});

const read = {
  method: 'GET',
  tag: 'Settings',
  family: 'settings',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query_or_all',
  audit: null,
  status: 200,
} as const;
/** Without a project: of the installation, for its owners only. */
const write = {
  tag: 'Settings',
  family: 'settings',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query_or_all',
} as const;
const writeQuery = { project: idSchema.optional(), ...dryRunQuery };
const nameParams = z.strictObject({ name: feedNameSchema });
const base = '/api/v3/setting/threat-intel';

export const threatIntelRoutes = {
  list: defineRoute({
    ...read,
    id: 'getThreatIntel',
    path: base,
    summary: 'List the threat feeds, without their entries',
    query: z.strictObject({ project: idSchema.optional() }),
    response: threatIntelSchema,
  }),
  get: defineRoute({
    ...read,
    id: 'getThreatFeed',
    path: `${base}/:name`,
    summary: 'Read a feed with its entries, in their order',
    params: nameParams,
    query: z.strictObject({
      project: idSchema.optional(),
      limit: z.coerce.number().int().min(1).max(PAGE_ENTRIES).default(PAGE_ENTRIES),
      /** From the previous page. */
      cursor: z.union([z.cidrv4(), z.cidrv6()], 'is not a cursor of this list').optional(),
    }),
    response: feedSchema.extend({
      /** Null: of the installation. */
      project: idSchema.nullable(),
      entries: z.array(z.string()),
      next_cursor: z.string().nullable(),
    }),
  }),
  upload: defineRoute({
    ...write,
    id: 'uploadThreatFeed',
    method: 'POST',
    path: `${base}/upload`,
    summary: 'Replace a feed with a file that has one address or network per line; `#` begins a comment',
    audit: 'threat_feed.upload',
    upload: true,
    bodyLimit: FEED_FILE_BYTES,
    query: z.strictObject({ name: feedNameSchema, ...writeQuery }),
    status: 200,
    response: z.object({
      feed: feedSchema,
      added: z.number().int(),
      /** Number of invalid lines. Networks that are too wide count as well, because no feed should block a large part of the world. */
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
    summary: 'Turn feeds on and off; entries stay, feeds that are left out are deleted',
    audit: 'threat_intel.update',
    query: z.strictObject(writeQuery),
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
    query: z.strictObject(writeQuery),
    status: 204,
  }),
};

export const threatIntelAuditWords = defineAuditWords({
  actions: {
    'threat_intel.update': 'change the list of threat feeds',
  },
});
