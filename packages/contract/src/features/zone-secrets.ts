import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';
import { overlapSchema, tokenSecretSchema } from '../token-secrets.ts';

/** Limit of zones with secrets in a project. */
export const ZONES_MAX = 100;
/** Time for the DNS servers of a zone to get the new secret. */
const ZONE_OVERLAP_DEFAULT_S = 86_400;

/** A DNS name in lower case without the final dot (RFC 1035 section 2.3.1, RFC 8553 for the underscore). */
const zoneSchema = z
  .string()
  .max(253)
  .regex(
    /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?)*$/,
    'a DNS name in lower case, without the final dot',
  );

const zoneSecretSchema = z.object({
  zone: z.string(),
  project: idSchema,
  created_at: timeSchema,
  created_by: z.string(),
  /**
   * The valid secrets, newest first: two during a rotation. Signatures name the `key_id`. `expires_at` null: valid until the
   * next rotation.
   */
  secrets: z.array(tokenSecretSchema.extend({ key_id: idSchema })),
});
export type ZoneSecretView = z.infer<typeof zoneSecretSchema>;

/** Contains the new secret, which no other answer does. */
const shownSchema = zoneSecretSchema.extend({ key_id: idSchema, secret: z.string() });

const write = {
  tag: 'Zone secrets',
  family: 'identity',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query',
  people: true,
} as const;
const query = z.strictObject({ project: idSchema, ...dryRunQuery });
const params = z.strictObject({ zone: zoneSchema });
const base = '/api/v3/setting/zone-secrets';

/** Secrets with which the DNS servers of a zone sign their requests. */
export const zoneSecretRoutes = {
  list: defineRoute({
    id: 'listZoneSecrets',
    method: 'GET',
    path: base,
    summary: 'List the zones of the project with their valid secrets, without the values',
    tag: 'Zone secrets',
    family: 'identity',
    access: { kind: 'roles', roles: ADMINS },
    project: 'query',
    audit: null,
    query: z.strictObject({ project: idSchema }),
    status: 200,
    response: z.object({ items: z.array(zoneSecretSchema), next_cursor: z.null() }),
  }),
  get: defineRoute({
    id: 'getZoneSecret',
    method: 'GET',
    path: `${base}/:zone`,
    summary: 'Read a zone with its valid secrets, without the values',
    tag: 'Zone secrets',
    family: 'identity',
    access: { kind: 'roles', roles: ADMINS },
    project: 'query',
    audit: null,
    params,
    query: z.strictObject({ project: idSchema }),
    status: 200,
    response: zoneSecretSchema,
  }),
  create: defineRoute({
    ...write,
    id: 'createZoneSecret',
    method: 'POST',
    path: base,
    summary: 'Create a secret for a zone, shown in this answer only',
    audit: 'zone_secret.create',
    query,
    body: z.strictObject({ zone: zoneSchema }),
    status: 201,
    response: shownSchema,
  }),
  rotate: defineRoute({
    ...write,
    id: 'rotateZoneSecret',
    method: 'POST',
    path: `${base}/:zone/rotate`,
    summary: 'Create a new secret for a zone, shown in this answer only; the previous one stays valid for a while',
    audit: 'zone_secret.rotate',
    params,
    query,
    body: z.strictObject({ overlap_s: overlapSchema.default(ZONE_OVERLAP_DEFAULT_S) }).prefault({}),
    status: 200,
    response: shownSchema,
  }),
  delete: defineRoute({
    ...write,
    id: 'deleteZoneSecret',
    method: 'DELETE',
    path: `${base}/:zone`,
    summary: 'Revoke all secrets of a zone: requests that are signed with them are refused from now on',
    audit: 'zone_secret.delete',
    params,
    query,
    status: 204,
  }),
};

export const zoneSecretsAuditWords = defineAuditWords({
  actions: {
    'zone_secret.delete': 'revoke zone secret',
  },
});
