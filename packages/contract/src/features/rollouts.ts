import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema } from '../schemas.ts';
import { COLLECTIONS, documentNameSchema, proxyVersionSchema } from './documents.ts';

/**
 * Where a change stands on one node.
 * waiting       the node has not been told of it, or what it reports is older than the change
 * sent          on its way to Envoy, the filter or the process
 * acknowledged  taken, not yet in use
 * warmed        in use: the node runs content that is equal to this revision's
 * refused       refused, or cannot be made for this node: `reason`
 * held          held back because something that it depends on was refused
 * offline       the client is not connected, or the service is stopped there, and it did not run this content when it was last heard of
 */
export const ROLLOUT_NODE_STATES = ['waiting', 'sent', 'acknowledged', 'warmed', 'refused', 'held', 'offline'] as const;

/**
 * Of all nodes together.
 * unreached    no deployed service uses it
 * refused      at least one node refused it, or holds it back
 * live         every node runs it (those that are not connected: ran it when they were last heard of)
 * in_progress  at least one node has been told of it, or runs it already
 * waiting      none has
 */
export const ROLLOUT_STATES = ['waiting', 'in_progress', 'live', 'refused', 'unreached'] as const;

export const rolloutNodeSchema = z.object({
  node_id: z.string(),
  service: z.object({ id: idSchema, name: z.string() }),
  client_id: idSchema,
  client_name: z.string(),
  connected: z.boolean(),
  state: z.enum(ROLLOUT_NODE_STATES),
  /**
   * Envoy's or the filter's own words, or what it is held back by. On a node that did not refuse the change: an older refusal that
   * still stands there, of something that the change has not touched.
   */
  reason: z.string().nullable(),
  /** When the node last reported on it; null when it never did. */
  since: z.iso.datetime().nullable(),
});
export type RolloutNode = z.infer<typeof rolloutNodeSchema>;

export const rolloutSchema = z.object({
  state: z.enum(ROLLOUT_STATES),
  /** Nothing more will happen by itself: every node runs it, refused it, holds it back or is offline. */
  settled: z.boolean(),
  revision: z.number().int(),
  /** Newest revision there is. When it is not `revision`, the nodes' states are about this one: it holds what came after. */
  current_revision: z.number().int(),
  superseded: z.boolean(),
  counts: z.object({
    total: z.number().int(),
    waiting: z.number().int(),
    sent: z.number().int(),
    acknowledged: z.number().int(),
    warmed: z.number().int(),
    refused: z.number().int(),
    held: z.number().int(),
    offline: z.number().int(),
  }),
  /** Refused first, then those that are not there yet, then the rest; by node id within. At most 1,000; `counts` are of all. */
  nodes: z.array(rolloutNodeSchema),
});
export type Rollout = z.infer<typeof rolloutSchema>;

export const rolloutRoutes = {
  read: defineRoute({
    id: 'readRollout',
    method: 'GET',
    path: '/api/v3/rollouts',
    summary: 'How far a revision of a document, policy or service has come on the nodes that it reaches',
    tag: 'Rollouts',
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    audit: null,
    query: z.strictObject({
      project: idSchema,
      collection: z.enum([...COLLECTIONS, 'policies', 'services']),
      name: documentNameSchema,
      /** Of documents: needed. Policies and services have none here. */
      version: proxyVersionSchema.optional(),
      /** The one that the write answered; the newest when left out. */
      revision: z.coerce.number().int().min(1).optional(),
    }),
    status: 200,
    response: rolloutSchema,
  }),
};
