import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS, EDITORS, READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { booleanQuerySchema, dryRunQuery, idSchema, listOf, listQuery, repeatable, timeSchema } from '../schemas.ts';
import { scheduleBodySchema, scheduleSchema } from './job-schedules.ts';
import { jobDetailSchema, jobEventSchema, jobSchema, jobStatusSchema } from './jobs.ts';

const count = z.number().int();
const counts = z.record(z.string(), count);

const text = z.string().min(1).max(128);

/** A calendar day in UTC. */
const daySchema = z.iso.date();

const filters = {
  project: idSchema.optional(),
  status: repeatable(jobStatusSchema).optional(),
  /** Alias of `status`. */
  statuses: repeatable(jobStatusSchema).optional(),
  type: repeatable(text).optional(),
  /** Id or name of the person who started it. */
  user: repeatable(text).optional(),
  /** Part of the name of the person who started it. */
  username: text.optional(),
  /** Part of the name of the resource. */
  resource_name: text.optional(),
  parent: repeatable(idSchema).optional(),
  /** True: only jobs of the installation. False: only jobs of projects. */
  installation: booleanQuerySchema.optional(),
  /** Time of creation; from is inclusive, to is exclusive. */
  from: timeSchema.optional(),
  to: timeSchema.optional(),
  /** Day of creation; both days are included. */
  start_date: daySchema.optional(),
  end_date: daySchema.optional(),
  /** Part of the type or the resource, or the number. */
  q: z.string().max(128).optional(),
};

/** For pages further on, use the cursor. */
const OFFSET_MAX = 10_000;

const shared = { tag: 'Jobs', family: 'jobs', project: 'query_or_all' } as const;
const reading = { ...shared, access: { kind: 'roles', roles: READERS }, audit: null } as const;
const administering = { ...shared, access: { kind: 'roles', roles: ADMINS } } as const;
const editing = { ...shared, access: { kind: 'roles', roles: EDITORS } } as const;

const project = z.strictObject({ project: idSchema.optional() });
const projectWrite = project.extend(dryRunQuery);
/** An id; or a number, counted within the project or, without one, within the installation. */
const params = z.strictObject({
  job_id: z.union([idSchema, z.string().regex(/^[1-9]\d{0,14}$/)], 'the number of a job, or its id'),
});
const schedulePath = z.strictObject({ schedule_id: idSchema });
const answer = z.object({ job: jobSchema });

/**
 * ended        nothing of it ran
 * asked        it ends when the running step has stopped
 * may_be_done  its only, quick step may be running already: it then ends on its own with its own result and without a retry
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
    summary: 'List jobs, newest first: all of the project for owners and admins, their own for others',
    ...reading,
    query: z.strictObject({
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      /** Number of jobs to skip; not together with a cursor. */
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
    summary: 'Count jobs by status, type, resource and user, and show how long the oldest waits',
    ...reading,
    query: z.strictObject(filters),
    status: 200,
    response: z.object({
      total_jobs: count,
      jobs_by_status: counts,
      jobs_by_type: counts,
      /** By the kind of their resource; jobs without a resource are left out. */
      jobs_by_resource: counts,
      /** By user name: the 20 with the most jobs. */
      jobs_by_user: counts,
      /** Created in the last 24 hours. */
      recent_jobs: count,
      /** Pending and waiting. */
      queue_size: count,
      processing_jobs: count,
      /** Time for which the oldest job has been ready to run. */
      oldest_pending_s: z.number().nullable(),
      /** Controllers that run a job. */
      active_workers: count,
      last_updated: timeSchema,
    }),
  }),
  stuck: defineRoute({
    id: 'listStuckJobs',
    method: 'GET',
    path: '/api/v3/jobs/stuck',
    summary:
      'List running jobs that their controller has lost and no other has taken over, among those that the caller sees',
    ...reading,
    query: project,
    status: 200,
    response: z.object({ items: z.array(jobSchema), stuck_after_s: count }),
  }),
  workers: defineRoute({
    id: 'listJobWorkers',
    method: 'GET',
    path: '/api/v3/jobs/workers',
    summary: 'List the live controllers, and how many of the jobs that the caller sees each runs',
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
    summary: 'List the job types',
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
    summary: 'List the job schedules',
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
    summary: 'Create a schedule that starts jobs with the rights of its writer',
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
    summary: 'Read a schedule, without secrets',
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
    summary: 'Replace a schedule',
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
    summary: 'Delete a schedule; jobs that it has started continue',
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
    summary: 'Read a job with its steps, and on request with its events',
    ...reading,
    params,
    query: project.extend({
      /** Number of the last event that the client saw, or 0. The answer has the later events. */
      events_after: z.coerce.number().int().min(0).max(2_147_483_647).optional(),
    }),
    status: 200,
    response: jobDetailSchema,
  }),
  events: defineRoute({
    id: 'streamJobEvents',
    method: 'GET',
    path: '/api/v3/jobs/:job_id/events',
    summary:
      'Stream the events of a job, from its beginning or after Last-Event-ID until its end, as server-sent events named job',
    ...reading,
    media: 'text/event-stream',
    params,
    query: project.extend({
      /** Number of the last event that the client saw, if it cannot send the header Last-Event-ID. */
      last_event_id: z.string().max(16).optional(),
    }),
    status: 200,
    response: jobEventSchema,
  }),
  retry: defineRoute({
    id: 'retryJob',
    method: 'POST',
    path: '/api/v3/jobs/:job_id/retry',
    summary: 'Repeat an ended job as a new job of the caller',
    ...editing,
    audit: 'job.retry',
    params,
    query: projectWrite,
    body: z.strictObject({
      reason: z.string().max(512).optional(),
      /** Only for targets that failed, or that were not tried, if the job type supports it. */
      retry_type: z.enum(['full', 'failed_only', 'pending_only']).default('full'),
    }),
    status: 202,
    response: answer,
  }),
  cancel: defineRoute({
    id: 'cancelJob',
    method: 'POST',
    path: '/api/v3/jobs/:job_id/cancel',
    summary: 'Cancel a job and its children; the job ends when its running step has stopped',
    audit: 'job.cancel',
    ...cancelling,
  }),
  delete: defineRoute({
    id: 'deleteJob',
    method: 'DELETE',
    path: '/api/v3/jobs/:job_id',
    summary: 'Cancel a job: alias of cancel',
    audit: 'job.cancel',
    ...cancelling,
  }),
  requeue: defineRoute({
    id: 'requeueJob',
    method: 'POST',
    path: '/api/v3/jobs/:job_id/requeue',
    summary: 'Reset the attempts of a dead job',
    ...administering,
    audit: 'job.requeue',
    params,
    query: projectWrite,
    status: 202,
    response: answer,
  }),
};

export const jobRoutesAuditWords = defineAuditWords({
  actions: {
    'job.cancel': 'cancel job',
    'job.end': 'finish job',
    'job.requeue': 'requeue job',
    'job.retry': 'retry job',
    'job.start': 'start job',
  },
});
