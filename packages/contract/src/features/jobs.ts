import * as z from 'zod';
import { idSchema, timeSchema } from '../schemas.ts';
import { defineTopic } from '../topics.ts';

/**
 * pending           ready, but no controller runs it yet
 * waiting           for its time, for a retry, or for its children
 * done_with_errors  ended, but failed for some targets or children
 * dead              all attempts failed: a person decides
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

/** A running job counts as stuck if its lease ended this long ago and no controller took it over. Shown by /jobs/workers. */
export const JOB_STUCK_AFTER_S = 60;

const count = z.number().int();

export const jobSchema = z.object({
  id: idSchema,
  /** Short and readable; counted within its project or within the installation. */
  number: count,
  /** Null: a job of the installation. */
  project: idSchema.nullable(),
  type: z.string(),
  title: z.string(),
  /** The resource, if the job is about a single one: `backup`, `key`. */
  resource: z.object({ type: z.string(), name: z.string() }).nullable(),
  status: jobStatusSchema,
  progress: z.object({ done: count, total: count, failed: count, percent: count }),
  /** The current step, or the next one. */
  step: z.object({ index: count, count, name: z.string() }).nullable(),
  /** Attempts of the current step, counted from 1. */
  attempt: count,
  attempts_max: count,
  by: z.object({ kind: z.enum(['user', 'token', 'system']), id: z.string().nullable(), name: z.string() }),
  parent: idSchema.nullable(),
  children: z.object({ total: count, open: count, failed: count }),
  retry_of: idSchema.nullable(),
  cancel_requested: z.boolean(),
  /** The controller that runs it. */
  controller: idSchema.nullable(),
  created_at: timeSchema,
  run_at: timeSchema,
  started_at: timeSchema.nullable(),
  ended_at: timeSchema.nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
export type JobView = z.infer<typeof jobSchema>;

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

export type JobEventView = z.infer<typeof jobEventSchema>;

/** Limit of events in an answer, which has the newest. */
export const JOB_EVENTS_MAX = 500;

export const jobDetailSchema = jobSchema.extend({
  /** Targets that failed; `pending`: not even tried. */
  errors: z.array(z.object({ target: z.string(), message: z.string(), pending: z.literal(true).optional() })),
  /** Number of failed targets that are not stored: such a job can only be repeated as a whole. */
  errors_left_out: count,
  /** The steps that have started. */
  steps: z.array(
    z.object({
      name: z.string(),
      status: z.enum(['running', 'waiting', 'failed', 'done']),
      attempt: count,
      started_at: timeSchema,
      ended_at: timeSchema.nullable(),
      /** Started again after its controller was lost. */
      repeated: z.boolean(),
    }),
  ),
  /** Only if the query has `events_after`: later events, oldest first; if there are more than 500, the newest. */
  events: z.array(jobEventSchema).readonly().optional(),
});
export type JobDetailView = z.infer<typeof jobDetailSchema>;

export const jobsTopics = [
  /** Some jobs changed; at most a few events per second. */
  defineTopic('job', 'members', {}),
] as const;
