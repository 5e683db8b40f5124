import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';
import { overlapSchema, tokenSecretSchema } from '../token-secrets.ts';

const discoveryTokenSchema = z.object({
  project: idSchema,
  created_at: timeSchema,
  created_by: z.string(),
  /** The valid secrets, newest first: two during a rotation. `expires_at` null: valid until the next rotation. */
  secrets: z.array(tokenSecretSchema),
});
export type DiscoveryTokenView = z.infer<typeof discoveryTokenSchema>;

const COMMON = {
  tag: 'Discovery tokens',
  family: 'identity',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query',
} as const;
const query = z.strictObject({ project: idSchema, ...dryRunQuery });

/** A project has one token, with which its services report themselves. */
export const discoveryTokenRoutes = {
  get: defineRoute({
    ...COMMON,
    id: 'getDiscoveryToken',
    method: 'GET',
    path: '/api/v3/setting/discovery-token',
    summary: 'Read the discovery token of the project, without its value',
    audit: null,
    query: z.strictObject({ project: idSchema }),
    status: 200,
    response: discoveryTokenSchema,
  }),
  generate: defineRoute({
    ...COMMON,
    id: 'generateDiscoveryToken',
    method: 'POST',
    path: '/api/v3/setting/discovery-token/generate',
    summary:
      'Create a new discovery token, shown in this answer only; on request the previous one stays valid for a while',
    people: true,
    audit: 'discovery_token.generate',
    query,
    body: z.strictObject({ overlap_s: overlapSchema.default(0) }).prefault({}),
    status: 201,
    response: discoveryTokenSchema.extend({ token: z.string() }),
  }),
  delete: defineRoute({
    ...COMMON,
    id: 'deleteDiscoveryToken',
    method: 'DELETE',
    path: '/api/v3/setting/discovery-token',
    summary: 'Revoke the discovery token: the next request with it is refused',
    people: true,
    audit: 'discovery_token.delete',
    query,
    status: 204,
  }),
};

export const serviceTokensAuditWords = defineAuditWords({
  actions: {
    'discovery_token.generate': 'generate a secret for discovery token',
  },
});
