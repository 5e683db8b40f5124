import * as z from 'zod';
import { idSchema, timeSchema } from '../schemas.ts';

/**
 * pending           ready, nobody has taken it up yet
 * waiting           for its time, for another try, or for its children
 * done_with_errors  came to its end, but not for all targets or children
 * dead              its attempts are used up: a person decides
 * no_work           there was nothing to do
 */
export const JOB_STATUSES = [
  'pending',
  'waiting',
  'running',
  'done',
  'done_with_errors',
  'failed',
  'cancelled',
  'dead',
  'no_work',
] as const;
export const jobStatusSchema = z.enum(JOB_STATUSES);

/** A running job whose lease has been over for this long is stuck: no controller takes it up. Told by /jobs/workers. */
export const JOB_STUCK_AFTER_S = 60;

const count = z.number().int();

export const jobSchema = z.object({
  id: idSchema,
  /** Short and readable; counts within its project, or among those of the installation. */
  number: count,
  /** Null: of the installation. */
  project: idSchema.nullable(),
  type: z.string(),
  title: z.string(),
  /** What it is about, where that is one thing: `backup`, `key`. */
  resource: z.object({ type: z.string(), name: z.string() }).nullable(),
  status: jobStatusSchema,
  progress: z.object({ done: count, total: count, failed: count, percent: count }),
  /** The one that runs or comes next. */
  step: z.object({ index: count, count, name: z.string() }).nullable(),
  /** Of this step, from 1. */
  attempt: count,
  attempts_max: count,
  by: z.object({ kind: z.enum(['user', 'token', 'system']), id: z.string().nullable(), name: z.string() }),
  parent: idSchema.nullable(),
  children: z.object({ total: count, open: count, failed: count }),
  retry_of: idSchema.nullable(),
  cancel_requested: z.boolean(),
  /** That runs it. */
  controller: idSchema.nullable(),
  created_at: timeSchema,
  run_at: timeSchema,
  started_at: timeSchema.nullable(),
  ended_at: timeSchema.nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
export type JobView = z.infer<typeof jobSchema>;

export const jobDetailSchema = jobSchema.extend({
  /** Targets for which it was not done; `pending`: not even tried. */
  errors: z.array(z.object({ target: z.string(), message: z.string(), pending: z.literal(true).optional() })),
  /** Further targets that are not kept: such a job is repeated as a whole. */
  errors_left_out: count,
  /** Those that have begun. */
  steps: z.array(
    z.object({
      name: z.string(),
      status: z.enum(['running', 'waiting', 'failed', 'done']),
      attempt: count,
      started_at: timeSchema,
      ended_at: timeSchema.nullable(),
      /** Begun once more after its controller was lost. */
      repeated: z.boolean(),
    }),
  ),
});
export type JobDetailView = z.infer<typeof jobDetailSchema>;

export const JOB_EVENT_KINDS = [
  'claimed',
  'step.begun',
  'step.ended',
  'step.repeated',
  'step.waits',
  'progress',
  'retry',
  'cancel.requested',
  'cancel.ignored',
  'child',
  'note',
  'ended',
] as const;

/** `seq` counts from 1 without gaps; it is the id of the server-sent event. */
export const jobEventSchema = z.object({
  seq: count,
  at: timeSchema,
  kind: z.enum(JOB_EVENT_KINDS),
  data: z.unknown(),
});
