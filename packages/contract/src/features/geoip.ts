import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';

/** city: locations of addresses; asn: operators of networks. */
export const GEOIP_KINDS = ['city', 'asn'] as const;
export type GeoipKind = (typeof GEOIP_KINDS)[number];
const kindSchema = z.enum(GEOIP_KINDS);
/** Size limits for one database of the installation, and of a project. */
export const GEOIP_FILE_BYTES = 256 * 1024 * 1024;
export const PROJECT_GEOIP_FILE_BYTES = 128 * 1024 * 1024;

const fileSchema = z.object({
  kind: kindSchema,
  /** Null: of the installation; it applies in every project without a database of this kind. */
  project: idSchema.nullable(),
  present: z.literal(true),
  size: z.number().int(),
  sha256: z.string(),
  /** The type according to the file: `GeoLite2-City`. */
  database_type: z.string(),
  built_at: timeSchema,
  source: z.enum(['upload', 'download']),
  uploaded_by: z.string(),
  upload_date: timeSchema,
});
/** Never stored, because its query may contain a key. */
const sourceUrlSchema = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .refine((url) => {
    const { username, password } = URL.parse(url) ?? {};
    return username === '' && password === '';
  }, 'holds a user name or a password')
  .meta({ secret: true });
const missingSchema = z.object({ kind: kindSchema, present: z.literal(false) });
export type GeoipFile = z.infer<typeof fileSchema>;

/** Without a project: of the installation, for its owners only. */
const write = {
  tag: 'Settings',
  family: 'settings',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query_or_all',
} as const;
const writeQuery = { project: idSchema.optional(), ...dryRunQuery };
const base = '/api/v3/setting/geoip';

export const geoipRoutes = {
  list: defineRoute({
    id: 'listGeoipDatabases',
    method: 'GET',
    path: base,
    summary: 'List the databases of places and networks',
    tag: 'Settings',
    family: 'settings',
    access: { kind: 'roles', roles: ADMINS },
    project: 'query_or_all',
    audit: null,
    query: z.strictObject({ project: idSchema.optional() }),
    status: 200,
    response: z.object({ databases: z.array(z.discriminatedUnion('present', [fileSchema, missingSchema])) }),
  }),
  upload: defineRoute({
    ...write,
    id: 'uploadGeoipDatabase',
    method: 'POST',
    path: `${base}/upload`,
    summary: 'Replace a database with a file in the MaxMind format (.mmdb); the file has to be of the right kind',
    audit: 'geoip.upload',
    upload: true,
    bodyLimit: GEOIP_FILE_BYTES,
    query: z.strictObject({ kind: kindSchema, ...writeQuery }),
    status: 200,
    response: fileSchema,
  }),
  download: defineRoute({
    ...write,
    /** Admins of projects must not probe the controller's network. */
    access: { kind: 'system_owner' },
    project: 'none',
    id: 'downloadGeoipDatabase',
    method: 'POST',
    path: `${base}/download`,
    summary: 'Replace a database with a file that the controller fetches and that has to match the given digest',
    audit: 'geoip.download',
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({
      kind: kindSchema,
      /** Requested once; redirects are not followed. A file whose name ends in .gz is unpacked. */
      url: sourceUrlSchema,
      /** Hex digest of the file as it is fetched. */
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
    status: 200,
    response: fileSchema,
  }),
  delete: defineRoute({
    ...write,
    id: 'deleteGeoipDatabase',
    method: 'DELETE',
    path: `${base}/:kind`,
    summary: 'Delete a database',
    audit: 'geoip.delete',
    params: z.strictObject({ kind: kindSchema }),
    query: z.strictObject(writeQuery),
    status: 204,
  }),
};

export const geoipAuditWords = defineAuditWords({
  actions: {
    'geoip.download': 'fetch GeoIP database',
  },
  nouns: {
    geoip: 'GeoIP database',
  },
});
