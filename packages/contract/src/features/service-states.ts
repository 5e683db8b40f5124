import * as z from 'zod';
import { timeSchema } from '../schemas.ts';

/**
 * The state of a service on a deployed client, as its agent reported it last. It covers only the configuration, not whether
 * upstreams answer.
 * up_to_date   the proxy runs the newest configuration
 * in_progress  the newest configuration is on its way
 * with_errors  part of the configuration could not be generated, was refused or does not run
 * stopped      somebody stopped the service there
 */
export const TARGET_STATES = ['up_to_date', 'in_progress', 'with_errors', 'stopped'] as const;
export const targetStateSchema = z.enum(TARGET_STATES);
export type TargetState = z.infer<typeof targetStateSchema>;

/**
 * The state over all deployed clients. `unreachable`: no agent is connected; the proxies keep running with what they have.
 * `partly_unreachable`: some agents are not connected, and no client has errors.
 */
export const SERVICE_CONDITIONS = [
  'with_errors',
  'unreachable',
  'partly_unreachable',
  'in_progress',
  'stopped',
  'up_to_date',
  'not_deployed',
] as const;

export const serviceConditionSchema = z.object({
  state: z.enum(SERVICE_CONDITIONS),
  /** For `unreachable`: the worst state that the clients reported last. Else null. */
  last_known: targetStateSchema.nullable(),
  /** For `with_errors`: the worst active configuration error, or null if none is recorded. */
  reason: z.string().nullable(),
});
export type ServiceCondition = z.infer<typeof serviceConditionSchema>;

/** The state of a node with its reason and start. Unlike a target's state it takes lost connections into account. */
export const nodeConditionFields = {
  /** Null: not deployed. */
  state: targetStateSchema.nullable(),
  /** Set for `with_errors`. */
  state_reason: z.string().nullable(),
  /** When `state` began; for a disconnected agent, when the connection was lost. Null: not known. */
  state_since: timeSchema.nullable(),
};
