import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS, READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, repeatable } from '../schemas.ts';
import { policyNodeSchema } from './metrics.ts';

export const RESYNC_CLIENTS_MAX = 1000;

/** A service with policies on a client, by the last report of its agent. */
export const shieldNodeSchema = policyNodeSchema.omit({ current: true, live_revision: true }).extend({
  /** Names of the policies of the service. */
  policies: z.array(z.string()),
  /** Whether the filter runs the newest texts of all policies. Null: the client has never reported. */
  current: z.boolean().nullable(),
});
export type ShieldNode = z.infer<typeof shieldNodeSchema>;

export const shieldResyncSchema = z.object({
  dry_run: z.literal(true).optional(),
  services: z.number().int(),
  /** Services on clients that are asked to load their policies again. */
  nodes: z.number().int(),
  /** Those of `nodes` whose client is not connected. They load the policies when it reconnects. */
  offline: z.number().int(),
});
export type ShieldResync = z.infer<typeof shieldResyncSchema>;

export const shieldNodeRoutes = {
  list: defineRoute({
    id: 'listShieldNodes',
    method: 'GET',
    path: '/api/v3/shield/nodes',
    summary: 'List the filters of a project with the policies that each runs',
    tag: 'Policies',
    family: 'policies',
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    audit: null,
    query: z.strictObject({
      project: idSchema,
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      sort: listQuery.sort,
      client_id: repeatable(idSchema).optional(),
      service_id: repeatable(idSchema).optional(),
    }),
    status: 200,
    response: listOf(shieldNodeSchema),
  }),
  resync: defineRoute({
    id: 'resyncShield',
    method: 'POST',
    path: '/api/v3/shield/resync',
    summary: 'Send the policies to the filters of a project again; each gets a command UPDATE_SHIELD_CONFIG',
    tag: 'Policies',
    family: 'policies',
    // Like the command.
    access: { kind: 'roles', roles: ADMINS },
    project: 'query',
    audit: 'shield.resync',
    query: z.strictObject({ project: idSchema, ...dryRunQuery }),
    body: z.strictObject({
      /** Only these clients; all of the project by default. */
      clients: z.array(idSchema).min(1).max(RESYNC_CLIENTS_MAX).optional(),
    }),
    status: 200,
    response: shieldResyncSchema,
  }),
};

export const shieldNodesAuditWords = defineAuditWords({
  actions: {
    'shield.resync': 'send the policies to the filters again',
  },
});
