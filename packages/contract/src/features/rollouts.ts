import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema } from '../schemas.ts';
import { COLLECTIONS, documentNameSchema, proxyVersionSchema } from './documents.ts';

/**
 * The state of a change on one node.
 * waiting       the node has not received it, or its last report is older than the change
 * sent          on its way to Envoy, the filter or the process
 * acknowledged  accepted, not yet in use
 * warmed        in use: the node runs content that is equal to this revision's
 * refused       refused, or cannot be generated for this node: see `reason`
 * held          held back because one of its dependencies was refused
 * offline       the client is disconnected, or the service is stopped there, and its last report did not have this content
 */
export const ROLLOUT_NODE_STATES = ['waiting', 'sent', 'acknowledged', 'warmed', 'refused', 'held', 'offline'] as const;

/**
 * The state over all nodes.
 * unreached    no deployed service uses it
 * refused      at least one node refused it or holds it back
 * live         every node runs it (disconnected nodes: by their last report)
 * in_progress  at least one node has received it or runs it
 * waiting      no node has received it
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
   * The text of Envoy or the filter, or the dependency that holds the change back. On a node that did not refuse the change: an
   * older refusal that is still current there, of something that the change did not touch.
   */
  reason: z.string().nullable(),
  /** When the node last reported on it; null if it never did. */
  since: z.iso.datetime().nullable(),
});
export type RolloutNode = z.infer<typeof rolloutNodeSchema>;

export const rolloutSchema = z.object({
  state: z.enum(ROLLOUT_STATES),
  /** True: nothing more happens on its own, because every node runs it, refused it, holds it back or is offline. */
  settled: z.boolean(),
  revision: z.number().int(),
  /** The newest revision. If it is not `revision`, the states of the nodes are about this one, because it includes the other. */
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
  /** Refused ones first, then pending ones, then the rest; then by node id. At most 1,000; `counts` includes all. */
  nodes: z.array(rolloutNodeSchema),
});
export type Rollout = z.infer<typeof rolloutSchema>;

export const rolloutRoutes = {
  read: defineRoute({
    id: 'readRollout',
    method: 'GET',
    path: '/api/v3/rollouts',
    summary: 'Read the progress of a revision of a document, policy or service on its nodes',
    tag: 'Rollouts',
    family: 'services',
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    audit: null,
    query: z.strictObject({
      project: idSchema,
      collection: z.enum([...COLLECTIONS, 'policies', 'services']),
      name: documentNameSchema,
      /** Required for documents; policies and services do not have it. */
      version: proxyVersionSchema.optional(),
      /** The revision from the answer of the write; by default the newest. */
      revision: z.coerce.number().int().min(1).optional(),
    }),
    status: 200,
    response: rolloutSchema,
  }),
};
