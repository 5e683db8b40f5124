import { type CancelOutcome, failJob, JOB_STUCK_AFTER_S, jobRoutes } from '@flotilla/contract';
import { type Tx, uniqueViolationOf } from '@flotilla/db';
import type { Reply, RequestContext, WriteOutcome } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { toJobActor } from '../../../platform/jobs/actor.ts';
import { cancelJob, lockJob, requeueJob } from '../../../platform/jobs/enqueue-store.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import type { AnyJobType } from '../../../platform/jobs/model.ts';
import { requireRights } from '../../../platform/jobs/rights-store.ts';
import { LONG_SLOTS } from '../../../platform/jobs/runner.ts';
import { readErrors } from '../../../platform/jobs/target-errors.ts';
import type { JobTypes } from '../../../platform/jobs/types.ts';
import type { JobWatch } from '../../../platform/jobs/watch.ts';
import { readNewestEvents } from '../../../platform/jobs/watch-store.ts';
import {
  countJobs,
  findJobDetail,
  findJobRow,
  type JobRow,
  type JobScope,
  listJobs,
  listStuckJobs,
  listWorkers,
  toView,
} from './views.ts';

const STREAM_HEADERS = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no', connection: 'close' };

export function createJobRoutes({ jobs, watch }: { jobs: Jobs; watch: JobWatch }): Route[] {
  const { types } = jobs;
  return [
    implement(jobRoutes.list, async (ctx, { query }) => ({ body: await listJobs(ctx.db, types, seenBy(ctx), query) })),
    implement(jobRoutes.stats, async (ctx, { query }) => ({
      body: await countJobs(ctx.db, seenBy(ctx), query, ctx.now),
    })),
    implement(jobRoutes.stuck, async (ctx) => ({
      body: { items: await listStuckJobs(ctx.db, types, seenBy(ctx)), stuck_after_s: JOB_STUCK_AFTER_S },
    })),
    implement(jobRoutes.workers, async (ctx) => {
      const workers = await listWorkers(ctx.db, seenBy(ctx));
      const items = workers.map(({ id, seen_at, busy }) => ({
        controller: id,
        slots: LONG_SLOTS,
        busy: Number(busy),
        seen_at: seen_at.toISOString(),
      }));
      return { body: { stuck_after_s: JOB_STUCK_AFTER_S, items } };
    }),
    implement(jobRoutes.types, async () => ({
      body: {
        items: types.all().map(({ type, title, steps }) => ({ type, title, steps: steps.map(({ name }) => name) })),
      },
    })),
    implement(jobRoutes.get, async (ctx, { params, query }) => {
      const row = await findJobRow(ctx.db, seenBy(ctx), params.job_id);
      const body = await findJobDetail(ctx.db, types, row);
      if (query.events_after === undefined) return { body };
      return { body: { ...body, events: await readNewestEvents(ctx.db, { id: row.id, seq: query.events_after }) } };
    }),
    serveEvents(watch),
    serveRetry(jobs),
    implement(jobRoutes.cancel, (ctx, { params }) => cancel(ctx, types, params.job_id)),
    implement(jobRoutes.delete, (ctx, { params }) => cancel(ctx, types, params.job_id)),
    serveRequeue(types),
  ];
}

function serveEvents(watch: JobWatch): Route {
  return implement(jobRoutes.events, async (ctx, { params, query }) => {
    const row = await findJobRow(ctx.db, seenBy(ctx), params.job_id);
    if (ctx.actor.kind === 'anonymous') throw new Error('the guard lets nobody in without a name');
    // The header wins over the query: browsers keep the URL when they reconnect.
    const after = Number(ctx.lastEventId ?? query.last_event_id ?? 0);
    const body = watch.open(ctx.actor, {
      jobId: row.id,
      project: row.project_id,
      role: ctx.scope?.role ?? 'owner',
      after: Number.isSafeInteger(after) && after > 0 ? after : 0,
    });
    return { body, contentType: 'text/event-stream', headers: STREAM_HEADERS };
  });
}

function serveRetry(jobs: Jobs): Route {
  return implement(jobRoutes.retry, (ctx, { params, body }) =>
    ctx.write(async (tx) => {
      const row = await findJobRow(tx, seenBy(ctx), params.job_id);
      if (row.ended_at === null) throw failJob('job.not_ended', { status: row.shown });
      const { type, whole } = openAgain(jobs.types, row);
      const wanted = narrow(type, whole, { kind: body.retry_type, results: row.results });
      const actor = toJobActor(ctx);
      await requireRights(tx, { actor, project: row.project_id, route: type.route, needs: type.needs?.(wanted) });
      const made = await jobs.enqueue(tx, type, { params: wanted, project: row.project_id, actor, retryOf: row.id });
      const changes = { retry_of: row.id, retry_type: body.retry_type, reason: body.reason };
      return accept(ctx, { types: jobs.types, tx }, await findJobRow(tx, seenBy(ctx), made.id), changes);
    }),
  );
}

function serveRequeue(types: JobTypes): Route {
  return implement(jobRoutes.requeue, (ctx, { params }) =>
    ctx.write(async (tx) => {
      const found = await findJobRow(tx, seenBy(ctx), params.job_id);
      await lockJob(tx, found.id);
      const row = await findJobRow(tx, seenBy(ctx), found.id);
      if (row.status !== 'dead') throw failJob('job.not_dead', { status: row.shown });
      const { type, whole } = openAgain(types, row);
      const needs = type.needs?.(whole);
      // It continues with the rights of its starter, so the caller must be allowed to start it too.
      await requireRights(tx, { actor: toJobActor(ctx), project: row.project_id, route: type.route, needs });
      try {
        await requeueJob(tx, row);
      } catch (error) {
        if (uniqueViolationOf(error) === undefined) throw error;
        throw failJob('job.busy', { number: '' }, { cause: error });
      }
      return accept(ctx, { types, tx }, row);
    }),
  );
}

function cancel(ctx: RequestContext, types: JobTypes, key: string): Promise<Reply> {
  return ctx.write(async (tx) => {
    const row = await findJobRow(tx, seenBy(ctx), key);
    if (!(await cancelJob(tx, row.id, toJobActor(ctx)))) throw failJob('job.ended', { status: row.shown });
    const found = await findJobRow(tx, seenBy(ctx), row.id);
    const outcome = toCancelOutcome(found);
    const { reply, ...rest } = await accept(ctx, { types, tx }, row);
    return { ...rest, reply: { ...reply, body: { job: toView(types, found), outcome } } };
  });
}

async function accept(
  ctx: RequestContext,
  { types, tx }: { readonly types: JobTypes; readonly tx: Tx },
  row: JobRow,
  changes: object = {},
): Promise<WriteOutcome> {
  return {
    reply: {
      body: { job: toView(types, await findJobRow(tx, seenBy(ctx), row.id)) },
      location: `${jobRoutes.list.path}/${row.id}`,
    },
    audit: { type: 'job', id: row.id, name: `${row.number}`, changes: { type: row.type, ...changes } },
    // Members see the jobs that they have started, whatever they may access.
    shows: [],
  };
}

/** The result of the cancellation so far; the job's row is locked. */
function toCancelOutcome(row: JobRow): CancelOutcome {
  if (row.ended_at !== null) return 'ended';
  return row.is_small && row.status === 'running' ? 'may_be_done' : 'asked';
}

/** Throws job.unknown_type or job.params if this controller cannot run it again. */
function openAgain(types: JobTypes, row: JobRow): { type: AnyJobType; whole: unknown } {
  const type = types.get(row.type);
  if (!type) throw failJob('job.unknown_type', { type: row.type });
  try {
    return { type, whole: types.open(type, row.id, row) };
  } catch (error) {
    throw failJob('job.params', {}, { cause: error });
  }
}

/**
 * The parameters of another attempt. Throws job.nothing_failed if there are no such targets or the type cannot run them
 * alone, and job.targets_left_out if the list of targets was truncated.
 */
function narrow(
  type: AnyJobType,
  params: unknown,
  { kind, results }: { kind: 'full' | 'failed_only' | 'pending_only'; results: unknown },
): unknown {
  if (kind === 'full') return params;
  const isPending = kind === 'pending_only';
  const { errors, leftOut } = readErrors(results);
  const targets = errors.filter(({ pending = false }) => pending === isPending).map(({ target }) => target);
  if (targets.length === 0 || !type.onlyFor) throw failJob('job.nothing_failed');
  const lost = isPending ? leftOut.pending : leftOut.failed;
  if (lost > 0) throw failJob('job.targets_left_out', { kept: targets.length, count: targets.length + lost });
  return type.onlyFor(params, targets);
}

/** Owners and admins see all jobs of the project, others the jobs that they have started. */
function seenBy(ctx: RequestContext): JobScope {
  const role = ctx.scope?.role;
  const isAdmin = role === undefined || role === 'owner' || role === 'admin';
  return { projectId: ctx.scope?.id, madeBy: isAdmin || ctx.actor.kind === 'anonymous' ? undefined : ctx.actor.id };
}
