import { z } from 'zod';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, projectQuerySchema, timeSchema } from '../schemas.ts';

export const ENROLMENT_TOKEN_TTL_DEFAULT_S = 3600;
export const ENROLMENT_TOKEN_TTL_MIN_S = 60;
export const ENROLMENT_TOKEN_TTL_MAX_S = 7 * 86_400;

export const enrolmentTokenStatusSchema = z.enum(['open', 'used', 'expired']);

export const enrolmentTokenSchema = z.object({
  id: idSchema,
  project: idSchema,
  note: z.string().nullable(),
  status: enrolmentTokenStatusSchema,
  created_by: z.string(),
  created_at: timeSchema,
  expires_at: timeSchema,
  used_at: timeSchema.nullable(),
  /** The client that it admitted. */
  client_id: idSchema.nullable(),
});

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
    query: z.strictObject({ ...listQuery, status: enrolmentTokenStatusSchema.optional() }),
    status: 200,
    response: listOf(enrolmentTokenSchema),
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
