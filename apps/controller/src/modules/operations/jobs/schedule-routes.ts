import { isDeepStrictEqual } from 'node:util';
import { failJob, failSetting, jobRoutes, type ScheduleView, type scheduleBodySchema } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import type * as z from 'zod';
import type { RequestContext, WriteOutcome } from '../../../platform/http/context.ts';
import { describeIssue } from '../../../platform/http/describe-issue.ts';
import { requireMatch } from '../../../platform/http/etag.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { toJobActor } from '../../../platform/jobs/actor.ts';
import { findNextRun } from '../../../platform/jobs/cron.ts';
import { requireRights } from '../../../platform/jobs/rights-store.ts';
import {
  countSchedules,
  deleteSchedule,
  findSchedule,
  listSchedules,
  lockSchedule,
  type ScheduleRecord,
  type ScheduleRow,
  tagOfSchedule,
  toView,
  writeSchedule,
} from '../../../platform/jobs/schedule-store.ts';
import type { JobTypes } from '../../../platform/jobs/types.ts';

type ScheduleBody = z.output<typeof scheduleBodySchema>;

/** Per project or installation: the list has no pages, and all of them run on the same controller. */
export const SCHEDULES_MAX = 100;
const PROGRAM_ONLY = 'only the program itself starts such jobs';

export function createScheduleRoutes(types: JobTypes): Route[] {
  return [
    implement(jobRoutes.schedules, async (ctx) => {
      const items = await listSchedules(ctx.db, ctx.scope?.id);
      return { body: { items: items.map((view) => (types.get(view.type) ? view : withoutType(view, ctx.now))) } };
    }),
    implement(jobRoutes.createSchedule, (ctx, { body }) =>
      ctx.write(async (tx) => {
        const id = createId(ctx.now.getTime());
        const projectId = ctx.scope?.id ?? null;
        if ((await countSchedules(tx, projectId)) >= SCHEDULES_MAX)
          throw failSetting('setting.too_many', { max: SCHEDULES_MAX });
        const { reply, audit } = await write(ctx, { types, tx }, { id, projectId }, body);
        return { reply: { ...reply, location: `${jobRoutes.schedules.path}/${id}` }, audit };
      }),
    ),
    implement(jobRoutes.getSchedule, async (ctx, { params }) => {
      const row = await findSchedule(ctx.db, ctx.scope?.id, params.schedule_id);
      const view = toView(row);
      return { body: types.get(row.type) ? view : withoutType(view, ctx.now), etag: tagOfSchedule(row) };
    }),
    implement(jobRoutes.updateSchedule, (ctx, { params, body }) =>
      ctx.write(async (tx) => {
        const before = await lockSchedule(tx, ctx.scope?.id, params.schedule_id);
        requireMatch(ctx, 'schedule', tagOfSchedule(before));
        return write(ctx, { types, tx }, { id: before.id, projectId: before.project_id, before }, body);
      }),
    ),
    implement(jobRoutes.deleteSchedule, (ctx, { params }) =>
      ctx.write(async (tx) => {
        const row = await lockSchedule(tx, ctx.scope?.id, params.schedule_id);
        requireMatch(ctx, 'schedule', tagOfSchedule(row));
        const { id, name, type } = row;
        if (types.get(type)?.route === null) throw failJob('job.forbidden', { reason: PROGRAM_ONLY });
        await deleteSchedule(tx, id);
        return { reply: {}, audit: { type: 'job_schedule', id, name } };
      }),
    ),
  ];
}

interface SchedulePlace extends Pick<ScheduleRecord, 'id' | 'projectId'> {
  readonly before?: ScheduleRow;
}

/** Checks the schedule and the rights of its author, and stores it unless nothing changed. */
async function write(
  ctx: RequestContext,
  { types, tx }: { readonly types: JobTypes; readonly tx: Tx },
  at: SchedulePlace,
  body: ScheduleBody,
): Promise<WriteOutcome> {
  const { before, ...place } = at;
  const type = types.get(body.type);
  if (!type) throw failJob('job.unknown_type', { type: body.type });
  const actor = toJobActor(ctx);
  if (type.route === null) throw failJob('job.forbidden', { reason: PROGRAM_ONLY });
  const secrets = before?.type === type.type ? decryptParams(types, before) : {};
  const parsed = type.params.safeParse(keepSecrets(body.params, secrets), { error: describeIssue });
  if (!parsed.success)
    throw failJob('schedule.invalid', { reason: 'its parameters are not those of this type of job' });
  const needs = type.needs?.(parsed.data);
  await requireRights(tx, { actor, project: at.projectId, route: type.route, needs });
  const next = findNextRun({ cron: body.cron, timeZone: body.time_zone }, ctx.now);
  // Saving a failed schedule clears its failures, so it counts as a change.
  const unchanged =
    before?.failures === 0 &&
    isDeepStrictEqual({ ...before.params, ...secrets }, parsed.data) &&
    before.type === body.type &&
    isDeepStrictEqual(writtenOf(before), writtenOf({ ...body, actor: { ...actor } }))
      ? before
      : undefined;
  const row =
    unchanged ??
    (await writeSchedule(tx, {
      ...place,
      ...types.store(type, at.id, parsed.data),
      name: body.name,
      type: body.type,
      cron: body.cron,
      timeZone: body.time_zone,
      enabled: body.enabled,
      actor,
      nextRunAt: body.enabled ? (next ?? null) : null,
    }));
  const { cron, time_zone, enabled } = row;
  const changes = { type: row.type, cron, time_zone, enabled };
  return {
    reply: { body: toView(row), etag: tagOfSchedule(row) },
    audit: { type: 'job_schedule', id: row.id, name: row.name, changes },
    isUnchanged: unchanged !== undefined,
  };
}

/** The editable part of a schedule besides its parameters, and its author. */
function writtenOf({
  name,
  cron,
  time_zone,
  enabled,
  actor,
}: Pick<ScheduleRow, 'name' | 'cron' | 'time_zone' | 'enabled' | 'actor'>) {
  return { name, cron, time_zone, enabled, actor };
}

/** Secrets that cannot be decrypted are dropped, so that the schedule can be saved again. */
function decryptParams(types: JobTypes, row: ScheduleRow): Record<string, unknown> {
  try {
    return types.decryptParams(row.id, row);
  } catch {
    return {};
  }
}

/** A client that sends back what it read has no secrets to send: omitted ones stay, null deletes one. */
function keepSecrets(given: Readonly<Record<string, unknown>>, secrets: Readonly<Record<string, unknown>>): unknown {
  const params = Object.entries({ ...secrets, ...given });
  return Object.fromEntries(params.filter(([name, value]) => value !== null || !Object.hasOwn(secrets, name)));
}

/** No controller starts such a job, so none records why. */
function withoutType(view: ScheduleView, now: Date): ScheduleView {
  const { code, message } = failJob('job.unknown_type', { type: view.type });
  return { ...view, error: { code, message, at: now.toISOString() } };
}
