import * as z from 'zod';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';
import { overlapSchema, tokenSecretSchema } from '../token-secrets.ts';

const discoveryTokenSchema = z.object({
  project: idSchema,
  created_at: timeSchema,
  created_by: z.string(),
  /** The secrets that hold, newest first: two while a rotation lasts. `expires_at` null: until the next rotation. */
  secrets: z.array(tokenSecretSchema),
});
export type DiscoveryTokenView = z.infer<typeof discoveryTokenSchema>;

const COMMON = {
  tag: 'Discovery tokens',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query',
} as const;
const query = z.strictObject({ project: idSchema, ...dryRunQuery });

/** The token by which services report themselves to the project; there is one. */
export const discoveryTokenRoutes = {
  get: defineRoute({
    ...COMMON,
    id: 'getDiscoveryToken',
    method: 'GET',
    path: '/api/v3/setting/discovery-token',
    summary: 'The discovery token of the project, without its value',
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
      'A new discovery token, shown in this answer only; the one of before holds for a while more where that is wished',
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
    summary: 'End the discovery token: what comes with it is refused from now on',
    people: true,
    audit: 'discovery_token.delete',
    query,
    status: 204,
  }),
};
