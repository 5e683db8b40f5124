import * as z from 'zod';
import { idSchema, timeSchema } from '../schemas.ts';

/**
 * Whether the proxies of a service serve, on one deployed client, as its agent reported it last.
 * live         every listener serves the newest configuration, and its upstreams are healthy
 * degraded     it serves, but not all of it, or not well; the reasons say why
 * failed       nothing serves
 * in_progress  the newest configuration is on its way
 * stopped      somebody stopped the service there
 */
export const NODE_HEALTH = ['live', 'degraded', 'failed', 'in_progress', 'stopped'] as const;
export const nodeHealthSchema = z.enum(NODE_HEALTH);
export type NodeHealth = z.infer<typeof nodeHealthSchema>;

/**
 * The health of a service over all clients to which it is deployed. `unreachable`: no agent is connected; the proxies keep
 * running with what they have, and `last_known` is what the agents reported last. If only some agents are away, or some nodes
 * failed, the service is degraded.
 */
export const HEALTH_STATES = [
  'failed',
  'degraded',
  'unreachable',
  'in_progress',
  'stopped',
  'live',
  'not_deployed',
] as const;
export const healthStateSchema = z.enum(HEALTH_STATES);
export type HealthState = z.infer<typeof healthStateSchema>;

/**
 * not_running          the proxy does not run
 * listener_not_serving a listener accepts no connections
 * configuration_error  part of the configuration could not be generated, or was refused
 * unhealthy_upstream   endpoints of a cluster are unhealthy or ejected
 * rising_errors        the share of 5xx responses has risen
 * agent_away           an agent is not connected, while those of other clients are
 */
export const HEALTH_REASON_CODES = [
  'not_running',
  'listener_not_serving',
  'configuration_error',
  'unhealthy_upstream',
  'rising_errors',
  'agent_away',
] as const;

export const HEALTH_REASONS_MAX = 20;

export const healthReasonSchema = z.object({
  code: z.enum(HEALTH_REASON_CODES),
  /** A sentence that names what is wrong. */
  message: z.string(),
  client_id: idSchema,
  /** The listener, cluster or other object; null: the reason is about the whole node. */
  name: z.string().nullable(),
  /** For `unhealthy_upstream`: addresses of the endpoints, at most 5. Empty otherwise. */
  endpoints: z.array(z.string()),
});
export type HealthReason = z.infer<typeof healthReasonSchema>;

export const healthSchema = z.object({
  state: healthStateSchema,
  /** For `unreachable`: the worst state that the agents reported last. Else null. */
  last_known: nodeHealthSchema.nullable(),
  /** For `failed`, `degraded` and `unreachable`, the worst first; at most 20. */
  reasons: z.array(healthReasonSchema),
});
export type Health = z.infer<typeof healthSchema>;

/** A listener of the newest configuration, as the agent found it in the running Envoy. */
export const nodeListenerSchema = z.object({
  name: z.string(),
  serving: z.boolean(),
  /** Where Envoy listens; null if it does not. */
  address: z.string().nullable(),
  /** Why it does not serve, in Envoy's words if it has any. */
  error: z.string().nullable(),
});

/** The health of a node. Unlike a target's state it takes lost connections into account for its start. */
export const nodeHealthFields = {
  /** By the last report; null: not deployed. */
  state: nodeHealthSchema.nullable(),
  /** For `failed` and `degraded`, the worst first. */
  reasons: z.array(healthReasonSchema),
  /** When `state` began; for a disconnected agent, when the connection was lost. Null: not known. */
  state_since: timeSchema.nullable(),
  /** Empty: Envoy does not run, or its listeners are not known yet. */
  listeners: z.array(nodeListenerSchema),
  /** How far the clock of the host is behind the controller's; negative: ahead. Null: it is right, or not known. */
  clock_offset_ms: z.number().int().nullable(),
};
