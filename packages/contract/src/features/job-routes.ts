import * as z from 'zod';
import { ADMINS, EDITORS, READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { booleanQuerySchema, dryRunQuery, idSchema, listOf, listQuery, repeatable, timeSchema } from '../schemas.ts';
import { scheduleBodySchema, scheduleSchema } from './job-schedules.ts';
import { jobDetailSchema, jobEventSchema, jobSchema, jobStatusSchema } from './jobs.ts';

const count = z.number().int();
const counts = z.record(z.string(), count);

const text = z.string().min(1).max(128);

/** Of the calendar, in UTC. */
const daySchema = z.iso.date();

const filters = {
  project: idSchema.optional(),
  status: repeatable(jobStatusSchema).optional(),
  /** The same as status. */
  statuses: repeatable(jobStatusSchema).optional(),
  type: repeatable(text).optional(),
  /** Id or name of who started it. */
  user: repeatable(text).optional(),
  /** In the name of who started it. */
  username: text.optional(),
  /** In the name of what it is about. */
  resource_name: text.optional(),
  parent: repeatable(idSchema).optional(),
  /** True: those of the installation alone, none of a project's. False: those of projects alone. */
  installation: booleanQuerySchema.optional(),
  /** Made from this time on, and before that one. */
  from: timeSchema.optional(),
  to: timeSchema.optional(),
  /** Made from the beginning of this day to the end of that one. */
  start_date: daySchema.optional(),
  end_date: daySchema.optional(),
  /** In its type or resource, or its number. */
  q: z.string().max(128).optional(),
};

/** Pages that are further away are reached by the cursor. */
const OFFSET_MAX = 10_000;

const shared = { tag: 'Jobs', project: 'query_or_all' } as const;
const reading = { ...shared, access: { kind: 'roles', roles: READERS }, audit: null } as const;
const administering = { ...shared, access: { kind: 'roles', roles: ADMINS } } as const;
const editing = { ...shared, access: { kind: 'roles', roles: EDITORS } } as const;

const project = z.strictObject({ project: idSchema.optional() });
const projectWrite = project.extend(dryRunQuery);
/** An id, or a number: of the project, and without one of the installation. */
const params = z.strictObject({
  job_id: z.union([idSchema, z.string().regex(/^[1-9]\d{0,14}$/)], 'the number of a job, or its id'),
});
const schedulePath = z.strictObject({ schedule_id: idSchema });
const answer = z.object({ job: jobSchema });

/**
 * ended        nothing of it ran
 * asked        it ends when what runs has stopped
 * may_be_done  it is one quick step that has been taken up: where this has begun it comes to its end, and the job ends as it
 *              says, though it is not tried again
 */
const cancelOutcome = z.enum(['ended', 'asked', 'may_be_done']);
export type CancelOutcome = z.infer<typeof cancelOutcome>;
const cancelling = {
  ...editing,
  params,
  query: projectWrite,
  status: 202,
  response: answer.extend({ outcome: cancelOutcome }),
} as const;

export const jobRoutes = {
  list: defineRoute({
    id: 'listJobs',
    method: 'GET',
    path: '/api/v3/jobs',
    summary: 'Jobs, newest first: all of the project for owners and admins, their own for others',
    ...reading,
    query: z.strictObject({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      /** So many are passed over; not together with a cursor. */
      offset: z.coerce.number().int().min(0).max(OFFSET_MAX).optional(),
      sort: listQuery.sort,
      ...filters,
    }),
    status: 200,
    response: listOf(jobSchema),
  }),
  stats: defineRoute({
    id: 'getJobStats',
    method: 'GET',
    path: '/api/v3/jobs/stats',
    summary: 'How many jobs there are, by status, type, resource and person, and how long the oldest waits',
    ...reading,
    query: z.strictObject(filters),
    status: 200,
    response: z.object({
      total_jobs: count,
      jobs_by_status: counts,
      jobs_by_type: counts,
      /** By the type of what they are about; those that are about no one thing are left out. */
      jobs_by_resource: counts,
      /** By name: the 20 who have started most. */
      jobs_by_user: counts,
      /** Made in the last 24 hours. */
      recent_jobs: count,
      /** Pending and waiting. */
      queue_size: count,
      processing_jobs: count,
      /** How long the oldest that could run has not been taken up. */
      oldest_pending_s: z.number().nullable(),
      /** Controllers that run one. */
      active_workers: count,
      last_updated: timeSchema,
    }),
  }),
  stuck: defineRoute({
    id: 'listStuckJobs',
    method: 'GET',
    path: '/api/v3/jobs/stuck',
    summary: 'Running jobs that no controller holds any more, nor takes up: of those that the caller sees',
    ...reading,
    query: project,
    status: 200,
    response: z.object({ items: z.array(jobSchema), stuck_after_s: count }),
  }),
  workers: defineRoute({
    id: 'listJobWorkers',
    method: 'GET',
    path: '/api/v3/jobs/workers',
    summary: 'The controllers that are up, and how many of the jobs that the caller sees each runs',
    ...reading,
    query: project,
    status: 200,
    response: z.object({
      stuck_after_s: count,
      items: z.array(z.object({ controller: idSchema, slots: count, busy: count, seen_at: timeSchema })),
    }),
  }),
  types: defineRoute({
    id: 'listJobTypes',
    method: 'GET',
    path: '/api/v3/jobs/types',
    summary: 'The kinds of jobs that there are',
    ...reading,
    query: project,
    status: 200,
    response: z.object({
      items: z.array(z.object({ type: z.string(), title: z.string(), steps: z.array(z.string()) })),
    }),
  }),
  schedules: defineRoute({
    id: 'listJobSchedules',
    method: 'GET',
    path: '/api/v3/jobs/schedules',
    summary: 'Jobs that are started by the clock',
    ...administering,
    audit: null,
    query: project,
    status: 200,
    response: z.object({ items: z.array(scheduleSchema) }),
  }),
  createSchedule: defineRoute({
    id: 'createJobSchedule',
    method: 'POST',
    path: '/api/v3/jobs/schedules',
    summary: 'Starts jobs by the clock, with the rights of whoever writes the schedule',
    ...administering,
    audit: 'job_schedule.create',
    query: projectWrite,
    body: scheduleBodySchema,
    status: 201,
    response: scheduleSchema,
  }),
  getSchedule: defineRoute({
    id: 'getJobSchedule',
    method: 'GET',
    path: '/api/v3/jobs/schedules/:schedule_id',
    summary: 'One schedule, without secrets',
    ...administering,
    audit: null,
    params: schedulePath,
    query: project,
    status: 200,
    response: scheduleSchema,
  }),
  updateSchedule: defineRoute({
    id: 'updateJobSchedule',
    method: 'PUT',
    path: '/api/v3/jobs/schedules/:schedule_id',
    summary: 'Writes a schedule anew',
    ...administering,
    audit: 'job_schedule.update',
    params: schedulePath,
    query: projectWrite,
    body: scheduleBodySchema,
    status: 200,
    response: scheduleSchema,
  }),
  deleteSchedule: defineRoute({
    id: 'deleteJobSchedule',
    method: 'DELETE',
    path: '/api/v3/jobs/schedules/:schedule_id',
    summary: 'Takes a schedule away; jobs that it has started go on',
    ...administering,
    audit: 'job_schedule.delete',
    params: schedulePath,
    query: projectWrite,
    status: 204,
  }),
  get: defineRoute({
    id: 'getJob',
    method: 'GET',
    path: '/api/v3/jobs/:job_id',
    summary: 'One job with its steps',
    ...reading,
    params,
    query: project,
    status: 200,
    response: jobDetailSchema,
  }),
  events: defineRoute({
    id: 'streamJobEvents',
    method: 'GET',
    path: '/api/v3/jobs/:job_id/events',
    summary:
      'What happens to a job, from its beginning or from Last-Event-ID on, until its end: server-sent events named job',
    ...reading,
    media: 'text/event-stream',
    params,
    query: project.extend({
      /** Number of the last event that was seen, for clients that cannot send the header Last-Event-ID. */
      last_event_id: z.string().max(16).optional(),
    }),
    status: 200,
    response: jobEventSchema,
  }),
  retry: defineRoute({
    id: 'retryJob',
    method: 'POST',
    path: '/api/v3/jobs/:job_id/retry',
    summary: 'Does the work of an ended job again, as a new job of the caller',
    ...editing,
    audit: 'job.retry',
    params,
    query: projectWrite,
    body: z.strictObject({
      reason: z.string().max(512).optional(),
      /** For the targets that have failed, or that were not tried at all, where the type of job can do that. */
      retry_type: z.enum(['full', 'failed_only', 'pending_only']).default('full'),
    }),
    status: 202,
    response: answer,
  }),
  cancel: defineRoute({
    id: 'cancelJob',
    method: 'POST',
    path: '/api/v3/jobs/:job_id/cancel',
    summary: 'Cancels a job and its children: what runs is stopped, and the job ends when it has',
    audit: 'job.cancel',
    ...cancelling,
  }),
  delete: defineRoute({
    id: 'deleteJob',
    method: 'DELETE',
    path: '/api/v3/jobs/:job_id',
    summary: 'The same as cancel',
    audit: 'job.cancel',
    ...cancelling,
  }),
  requeue: defineRoute({
    id: 'requeueJob',
    method: 'POST',
    path: '/api/v3/jobs/:job_id/requeue',
    summary: 'Gives a dead job its attempts back',
    ...administering,
    audit: 'job.requeue',
    params,
    query: projectWrite,
    status: 202,
    response: answer,
  }),
};
