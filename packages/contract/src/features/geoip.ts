import * as z from 'zod';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';

/** What a database says of an address: where it is, or whose network it is in. */
export const GEOIP_KINDS = ['city', 'asn'] as const;
export type GeoipKind = (typeof GEOIP_KINDS)[number];
const kindSchema = z.enum(GEOIP_KINDS);
/** Of one database. */
export const GEOIP_FILE_BYTES = 256 * 1024 * 1024;

const fileSchema = z.object({
  kind: kindSchema,
  present: z.literal(true),
  size: z.number().int(),
  /** In hex. */
  sha256: z.string(),
  /** As the file calls itself: `GeoLite2-City`. */
  database_type: z.string(),
  built_at: timeSchema,
  source: z.enum(['upload', 'download']),
  uploaded_by: z.string(),
  upload_date: timeSchema,
});
/** May carry a key in its query: it is not kept. */
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

const write = { tag: 'Settings', access: { kind: 'system_owner' }, project: 'none' } as const;
const base = '/api/v3/setting/geoip';

export const geoipRoutes = {
  list: defineRoute({
    id: 'listGeoipDatabases',
    method: 'GET',
    path: base,
    summary: 'Which databases of places and networks there are',
    tag: 'Settings',
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
    summary: 'Replace a database by a file in the format of MaxMind (.mmdb), which is checked to be of the kind',
    audit: 'geoip.upload',
    upload: true,
    bodyLimit: GEOIP_FILE_BYTES,
    query: z.strictObject({ kind: kindSchema, ...dryRunQuery }),
    status: 200,
    response: fileSchema,
  }),
  download: defineRoute({
    ...write,
    id: 'downloadGeoipDatabase',
    method: 'POST',
    path: `${base}/download`,
    summary: 'Replace a database by a file that the controller fetches, if it has the digest that is given',
    audit: 'geoip.download',
    query: z.strictObject(dryRunQuery),
    body: z.strictObject({
      kind: kindSchema,
      /** Asked once, as it stands; no other address that it names is followed. A name that ends in .gz is unpacked. */
      url: sourceUrlSchema,
      /** Of the file as it is fetched, in hex. */
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
    query: z.strictObject(dryRunQuery),
    status: 204,
  }),
};
