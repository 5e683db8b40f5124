import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, projectQuerySchema, repeatable, timeSchema } from '../schemas.ts';
import { overlapSchema, tokenSecretSchema } from '../token-secrets.ts';
import { defineTopic } from '../topics.ts';
import { clientLabelsSchema, labelValueSchema } from './client-labels.ts';

export const ENROLMENT_TOKEN_TTL_DEFAULT_S = 3600;
export const ENROLMENT_TOKEN_TTL_MIN_S = 60;
export const ENROLMENT_TOKEN_TTL_MAX_S = 7 * 86_400;
/** Long enough to distribute the new secret. */
const ENROLMENT_OVERLAP_DEFAULT_S = 3600;

/** void: the creator may not let hosts into the project, or may not do so at the moment. */
export const enrolmentTokenStatusSchema = z.enum(['open', 'void', 'used', 'expired']);

export const enrolmentTokenSchema = z.object({
  id: idSchema,
  project: idSchema,
  note: z.string().nullable(),
  /** Labels of the client that it admits. */
  labels: z.record(z.string(), z.string()),
  status: enrolmentTokenStatusSchema,
  created_by: z.string(),
  /** Newest first: two during a rotation. Using either one uses up the token. */
  secrets: z.array(tokenSecretSchema),
  created_at: timeSchema,
  expires_at: timeSchema,
  used_at: timeSchema.nullable(),
  /** The client that it admitted. */
  client_id: idSchema.nullable(),
});

export type EnrolmentTokenView = z.infer<typeof enrolmentTokenSchema>;

export const createdEnrolmentTokenSchema = enrolmentTokenSchema.extend({
  /** Shown once; only a hash of it is stored. */
  token: z.string(),
  /** The command to run on the host. */
  command: z.string(),
  /** SHA-256 of the CA certificate, base64url. The agent trusts no other controller. */
  ca_fingerprint: z.string(),
  /** The address that agents connect to. */
  controller: z.string(),
});

const COMMON = {
  tag: 'Enrolment',
  family: 'clients',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query',
} as const;

export const enrolmentRoutes = {
  listTokens: defineRoute({
    ...COMMON,
    id: 'listEnrolmentTokens',
    method: 'GET',
    path: '/api/v3/setting/enrolment-tokens',
    summary: 'List the enrolment tokens of the project, newest first, without their secrets',
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
    summary: 'Read an enrolment token, without its secrets',
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
    summary: 'Create a token that admits one host to the project',
    audit: 'enrolment_token.create',
    query: projectQuerySchema.extend(dryRunQuery),
    body: z.strictObject({
      note: z.string().max(256).optional(),
      labels: clientLabelsSchema(labelValueSchema).optional(),
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
      'Give an open token a new secret, shown in this answer only; the old one stays valid for a while, and either admits the one host',
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
    summary: 'Revoke a token; a client that it has already admitted stays',
    audit: 'enrolment_token.delete',
    params: z.strictObject({ token_id: idSchema }),
    query: projectQuerySchema.extend(dryRunQuery),
    status: 204,
  }),
};

export const enrolmentTopics = [defineTopic('enrolment_token', 'admins', { token_id: idSchema.optional() })] as const;

export const enrolmentAuditWords = defineAuditWords({
  actions: {
    'client.enrol': 'enrol client',
    'client.renew': 'renew the certificate of client',
    'enrolment_token.delete': 'revoke enrolment token',
  },
});
