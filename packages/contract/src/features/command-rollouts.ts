import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute, LIST_BODY_BYTES } from '../route.ts';
import { dryRunQuery, idSchema } from '../schemas.ts';
import { labelSelectorSchema } from './client-labels.ts';
import { COMMAND_TARGETS_MAX, commandBodySchema } from './commands.ts';

const HOUR_S = 3600;
export const ROLLOUT_WAIT_DEFAULT_S = 600;

const clientCount = z.int().min(1).max(COMMAND_TARGETS_MAX);
const percent = z.int().min(1).max(100);

export const commandRolloutBodySchema = z.strictObject({
  type: commandBodySchema.shape.type,
  sub_type: commandBodySchema.shape.sub_type,
  command: z.record(z.string(), z.unknown()).default({}).meta({ description: 'As in POST /api/op/clients.' }),
  /** Ids. Give these, or labels, or neither for all clients of the service that the command names. */
  clients: z.array(idSchema).min(1).max(COMMAND_TARGETS_MAX).optional(),
  /** The clients that have all of these labels when the rollout starts. */
  labels: z.array(labelSelectorSchema).min(1).max(16).optional(),
  /** Clients in the first wave. Default: as many as in the others. */
  first_wave: clientCount.optional(),
  wave_size: clientCount.optional(),
  /** Size of a wave in percent of all clients, rounded up. 10 if no size is given. */
  wave_percent: percent.optional(),
  /** From the end of a wave to the start of the next one. */
  pause_s: z
    .int()
    .min(0)
    .max(24 * HOUR_S)
    .default(0),
  /** How long a wave may take. Clients that have not ended by then count as failed. */
  wait_s: z
    .int()
    .min(1)
    .max(24 * HOUR_S)
    .default(ROLLOUT_WAIT_DEFAULT_S),
  /** Stop when this many clients have failed. 1 if neither limit is given. */
  stop_at_failures: clientCount.optional(),
  /** Stop when this share of the clients tried so far has failed. */
  stop_at_failed_percent: percent.optional(),
});
export type CommandRolloutBody = z.output<typeof commandRolloutBodySchema>;
export type CommandRolloutInput = z.input<typeof commandRolloutBodySchema>;

export const commandRolloutSchema = z.object({
  dry_run: z.literal(true).optional(),
  /** Null in a dry run. Its events report each wave; cancel and retry work as for every job. */
  job: z.object({ id: idSchema, number: z.int() }).nullable(),
  /** The command in the words of the API, such as `SERVICE SUB_RESTART`. */
  command: z.string(),
  waves: z.array(
    z.object({ clients: z.array(z.object({ client_id: idSchema, name: z.string(), connected: z.boolean() })) }),
  ),
});
export type CommandRollout = z.infer<typeof commandRolloutSchema>;

export const commandRolloutRoutes = {
  start: defineRoute({
    id: 'startCommandRollout',
    method: 'POST',
    path: '/api/op/clients/rollouts',
    summary: 'Send a command to clients in waves, as a job that stops when too many fail',
    tag: 'Commands',
    family: 'commands',
    access: { kind: 'roles', roles: ADMINS },
    project: 'query',
    rate: 'command',
    audit: 'command.rollout',
    query: z.strictObject({ project: idSchema, ...dryRunQuery }),
    body: commandRolloutBodySchema,
    bodyLimit: LIST_BODY_BYTES,
    status: 202,
    response: commandRolloutSchema,
  }),
};

export const commandRolloutsAuditWords = defineAuditWords({
  actions: { 'command.rollout': 'roll out command' },
});
