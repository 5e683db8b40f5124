import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ROUTE_FAMILIES } from '../families.ts';
import { ADMINS, roleSchema } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, nameSchema, observed, timeSchema } from '../schemas.ts';
import { overlapSchema, tokenSecretSchema } from '../token-secrets.ts';
import { defineTopic } from '../topics.ts';

/** Scopes of a token; null: unrestricted, which also allows routes that show things of many scopes. */
const familiesSchema = z
  .array(z.enum(ROUTE_FAMILIES))
  .min(1)
  .refine((families) => new Set(families).size === families.length, 'each family once')
  .nullable();
const descriptionSchema = z.string().max(1024).nullable();

export const apiTokenSchema = z.object({
  id: idSchema,
  name: z.string(),
  project: idSchema,
  description: descriptionSchema,
  role: roleSchema,
  families: familiesSchema,
  /** First characters of the newest secret. The controller does not keep the rest. */
  prefix: z.string(),
  /** The valid secrets, newest first: two during a rotation. `expires_at` null: valid as long as the token. */
  secrets: z.array(tokenSecretSchema),
  created_by: z.string().nullable(),
  /** The user who received the newest secret. The token may do at most what that user may. Each secret is bound to its own user. */
  issued_to: z.string().nullable(),
  /**
   * State of the account in issued_to. The controller refuses a token unless it is active: a token ends with the account, and
   * with the membership in the project.
   */
  maker: observed(z.enum(['active', 'inactive', 'not_a_member', 'deleted'])),
  created_at: timeSchema,
  expires_at: timeSchema.nullable(),
  /** Rounded to the minute. */
  last_used_at: observed(timeSchema.nullable()),
  /** The address of the last use. */
  last_used_ip: observed(z.string().nullable()),
});
export type ApiTokenView = z.infer<typeof apiTokenSchema>;

const projectQuery = z.strictObject({ project: idSchema, ...dryRunQuery });
const tokenParams = z.strictObject({ token_id: idSchema });
const admins = { kind: 'roles', roles: ADMINS } as const;

export const apiTokenRoutes = {
  list: defineRoute({
    id: 'listApiTokens',
    method: 'GET',
    path: '/api/v3/setting/tokens',
    summary: 'List the API tokens of the project, without their values',
    tag: 'API tokens',
    family: 'identity',
    access: admins,
    project: 'query',
    audit: null,
    query: z.strictObject(listQuery),
    status: 200,
    response: listOf(apiTokenSchema),
  }),
  create: defineRoute({
    id: 'createApiToken',
    method: 'POST',
    path: '/api/v3/setting/tokens',
    summary: 'Create an API token; its value is shown in this answer only',
    tag: 'API tokens',
    family: 'identity',
    access: admins,
    project: 'query',
    people: true,
    audit: 'api_token.create',
    query: projectQuery,
    body: z.strictObject({
      name: nameSchema,
      description: descriptionSchema.optional(),
      role: roleSchema,
      /** Null: all scopes. Left out: `default_families` of the settings `tokens`. */
      families: familiesSchema.optional(),
      /** Null: it does not expire. Left out: `default_days` of the settings `tokens`, which may also bound it. */
      expires_at: timeSchema.nullable().optional(),
    }),
    status: 201,
    response: apiTokenSchema.extend({ token: z.string() }),
  }),
  get: defineRoute({
    id: 'getApiToken',
    method: 'GET',
    path: '/api/v3/setting/tokens/:token_id',
    summary: 'Read an API token, without its values',
    tag: 'API tokens',
    family: 'identity',
    access: admins,
    project: 'query',
    audit: null,
    params: tokenParams,
    query: z.strictObject({ project: idSchema }),
    status: 200,
    response: apiTokenSchema,
  }),
  patch: defineRoute({
    id: 'patchApiToken',
    method: 'PATCH',
    path: '/api/v3/setting/tokens/:token_id',
    summary: 'Rename an API token, or narrow it: fewer scopes, an earlier end',
    tag: 'API tokens',
    family: 'identity',
    access: admins,
    project: 'query',
    people: true,
    audit: 'api_token.update',
    params: tokenParams,
    query: projectQuery,
    body: z
      .strictObject({
        name: nameSchema,
        description: descriptionSchema,
        families: familiesSchema,
        expires_at: timeSchema.nullable(),
      })
      .partial(),
    status: 200,
    response: apiTokenSchema,
  }),
  rotate: defineRoute({
    id: 'rotateApiToken',
    method: 'POST',
    path: '/api/v3/setting/tokens/:token_id/rotate',
    summary: 'Give an API token a new secret, shown in this answer only; the old one stays valid for a while',
    tag: 'API tokens',
    family: 'identity',
    access: admins,
    project: 'query',
    people: true,
    audit: 'api_token.rotate',
    params: tokenParams,
    query: projectQuery,
    body: z.strictObject({ overlap_s: overlapSchema }),
    status: 200,
    response: apiTokenSchema.extend({ token: z.string() }),
  }),
  delete: defineRoute({
    id: 'deleteApiToken',
    method: 'DELETE',
    path: '/api/v3/setting/tokens/:token_id',
    summary: 'Revoke an API token: the next request with it is refused',
    tag: 'API tokens',
    family: 'identity',
    access: admins,
    project: 'query',
    people: true,
    audit: 'api_token.delete',
    params: tokenParams,
    query: projectQuery,
    status: 204,
  }),
};

export const apiTokensTopics = [defineTopic('api_token', 'admins', { token_id: idSchema.optional() })] as const;

export const apiTokensAuditWords = defineAuditWords({
  nouns: {
    api_token: 'API token',
  },
});
