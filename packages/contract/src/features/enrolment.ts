import * as z from 'zod';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, projectQuerySchema, repeatable, timeSchema } from '../schemas.ts';
import { overlapSchema, tokenSecretSchema } from '../token-secrets.ts';

export const ENROLMENT_TOKEN_TTL_DEFAULT_S = 3600;
export const ENROLMENT_TOKEN_TTL_MIN_S = 60;
export const ENROLMENT_TOKEN_TTL_MAX_S = 7 * 86_400;
/** Until what joins hosts has the new secret. */
const ENROLMENT_OVERLAP_DEFAULT_S = 3600;

/** void: whoever made it may let no hosts in any more, or not now. */
export const enrolmentTokenStatusSchema = z.enum(['open', 'void', 'used', 'expired']);

export const enrolmentTokenSchema = z.object({
  id: idSchema,
  project: idSchema,
  note: z.string().nullable(),
  status: enrolmentTokenStatusSchema,
  created_by: z.string(),
  /** Newest first: two while a rotation lasts. Whichever is used, the token is used. */
  secrets: z.array(tokenSecretSchema),
  created_at: timeSchema,
  expires_at: timeSchema,
  used_at: timeSchema.nullable(),
  /** The client that it admitted. */
  client_id: idSchema.nullable(),
});

export type EnrolmentTokenView = z.infer<typeof enrolmentTokenSchema>;

export const createdEnrolmentTokenSchema = enrolmentTokenSchema.extend({
  /** Shown once: only a hash of it is kept. */
  token: z.string(),
  /** To run on the host. */
  command: z.string(),
  /** SHA-256 of the authority's certificate, base64url: the agent trusts no other controller. */
  ca_fingerprint: z.string(),
  /** Where agents dial. */
  controller: z.string(),
});

const COMMON = {
  tag: 'Enrolment',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query',
} as const;

export const enrolmentRoutes = {
  listTokens: defineRoute({
    ...COMMON,
    id: 'listEnrolmentTokens',
    method: 'GET',
    path: '/api/v3/setting/enrolment-tokens',
    summary: 'Enrolment tokens of the project, newest first; their secrets are never shown again',
    audit: null,
    query: z.strictObject({ ...listQuery, status: repeatable(enrolmentTokenStatusSchema).optional() }),
    status: 200,
    response: listOf(enrolmentTokenSchema),
  }),
  getToken: defineRoute({
    ...COMMON,
    id: 'getEnrolmentToken',
    method: 'GET',
    path: '/api/v3/setting/enrolment-tokens/:token_id',
    summary: 'One enrolment token, without its secrets',
    audit: null,
    params: z.strictObject({ token_id: idSchema }),
    query: projectQuerySchema,
    status: 200,
    response: enrolmentTokenSchema,
  }),
  createToken: defineRoute({
    ...COMMON,
    id: 'createEnrolmentToken',
    method: 'POST',
    path: '/api/v3/setting/enrolment-tokens',
    summary: 'A token by which one host may join the project',
    audit: 'enrolment_token.create',
    query: projectQuerySchema.extend(dryRunQuery),
    body: z.strictObject({
      note: z.string().max(256).optional(),
      ttl_s: z.number().int().min(ENROLMENT_TOKEN_TTL_MIN_S).max(ENROLMENT_TOKEN_TTL_MAX_S).optional(),
    }),
    status: 201,
    response: createdEnrolmentTokenSchema,
  }),
  rotateToken: defineRoute({
    ...COMMON,
    id: 'rotateEnrolmentToken',
    method: 'POST',
    path: '/api/v3/setting/enrolment-tokens/:token_id/rotate',
    summary:
      'Give an open token a new secret, shown in this answer only; the old one holds for a while more, and either admits the one host',
    audit: 'enrolment_token.rotate',
    params: z.strictObject({ token_id: idSchema }),
    query: projectQuerySchema.extend(dryRunQuery),
    body: z.strictObject({ overlap_s: overlapSchema.default(ENROLMENT_OVERLAP_DEFAULT_S) }).prefault({}),
    status: 200,
    response: createdEnrolmentTokenSchema,
  }),
  deleteToken: defineRoute({
    ...COMMON,
    id: 'deleteEnrolmentToken',
    method: 'DELETE',
    path: '/api/v3/setting/enrolment-tokens/:token_id',
    summary: 'Withdraw a token; a client that it has already admitted stays',
    audit: 'enrolment_token.delete',
    params: z.strictObject({ token_id: idSchema }),
    query: projectQuerySchema.extend(dryRunQuery),
    status: 204,
  }),
};
