import { z } from 'zod';
import { ADMINS, roleSchema } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, nameSchema, timeSchema } from '../schemas.ts';

export const apiTokenSchema = z.object({
  id: idSchema,
  name: z.string(),
  project: idSchema,
  role: roleSchema,
  /** How the token begins; the rest is known to its holder only. */
  prefix: z.string(),
  created_by: z.string().nullable(),
  /**
   * The account of whoever made it. A token is refused unless it is active: ended accounts, and those that are no longer
   * members of the project, take their tokens with them.
   */
  maker: z.enum(['active', 'inactive', 'not_a_member', 'deleted']),
  created_at: timeSchema,
  expires_at: timeSchema.nullable(),
  /** Exact to the minute. */
  last_used_at: timeSchema.nullable(),
});
export type ApiTokenView = z.infer<typeof apiTokenSchema>;

const projectQuery = z.strictObject({ project: idSchema, ...dryRunQuery });
const admins = { kind: 'roles', roles: ADMINS } as const;

export const apiTokenRoutes = {
  list: defineRoute({
    id: 'listApiTokens',
    method: 'GET',
    path: '/api/v3/setting/tokens',
    summary: 'API tokens of the project, without their values',
    tag: 'API tokens',
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
    summary: 'Make an API token; its value is shown in this answer only',
    tag: 'API tokens',
    access: admins,
    project: 'query',
    audit: 'api_token.create',
    query: projectQuery,
    body: z.strictObject({
      name: nameSchema,
      role: roleSchema,
      /** Null or left out: it does not expire. */
      expires_at: timeSchema.nullable().optional(),
    }),
    status: 201,
    response: apiTokenSchema.extend({ token: z.string() }),
  }),
  delete: defineRoute({
    id: 'deleteApiToken',
    method: 'DELETE',
    path: '/api/v3/setting/tokens/:token_id',
    summary: 'End an API token: the next request with it is refused',
    tag: 'API tokens',
    access: admins,
    project: 'query',
    audit: 'api_token.delete',
    params: z.strictObject({ token_id: idSchema }),
    query: projectQuery,
    status: 204,
  }),
};
