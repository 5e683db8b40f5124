import { failJob, failSetting, jobRoutes, type ScheduleView, type scheduleBodySchema } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import type * as z from 'zod';
import type { RequestContext } from '../../http/context.ts';
import { implement, type Route } from '../../http/route.ts';
import { findNextRun } from './cron.ts';
import { requireRights } from './rights-store.ts';
import { toJobActor } from './routes.ts';
import { countSchedules, deleteSchedule, findSchedule, listSchedules, writeSchedule } from './schedule-store.ts';
import type { JobTypes } from './types.ts';

type ScheduleBody = z.output<typeof scheduleBodySchema>;

/** Of a project, or of the installation: they are listed whole, and all fall due at the same controller. */
export const SCHEDULES_MAX = 100;
const PROGRAM_ONLY = 'only the program itself starts such jobs';

export function createScheduleRoutes(types: JobTypes): Route[] {
  const write = async (
    tx: Tx,
    ctx: RequestContext,
    at: { id: string; projectId: string | null },
    body: ScheduleBody,
  ) => {
    const type = types.get(body.type);
    if (!type) throw failJob('job.unknown_type', { type: body.type });
    const actor = toJobActor(ctx);
    if (type.route === null) throw failJob('job.forbidden', { reason: PROGRAM_ONLY });
    const parsed = type.params.safeParse(body.params);
    if (!parsed.success)
      throw failJob('schedule.invalid', { reason: 'its parameters are not those of this type of job' });
    const needs = type.needs?.(parsed.data);
    await requireRights(tx, { actor, project: at.projectId, route: type.route, needs });
    const next = findNextRun({ cron: body.cron, timeZone: body.time_zone }, ctx.now);
    const view = await writeSchedule(tx, {
      ...at,
      ...types.store(type, at.id, parsed.data),
      name: body.name,
      type: body.type,
      cron: body.cron,
      timeZone: body.time_zone,
      enabled: body.enabled,
      actor,
      nextRunAt: body.enabled ? (next ?? null) : null,
    });
    const { cron, time_zone, enabled } = view;
    const changes = { type: view.type, cron, time_zone, enabled };
    return { view, audit: { type: 'job_schedule', id: view.id, name: view.name, changes } };
  };

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
        const { view, audit } = await write(tx, ctx, { id, projectId }, body);
        return { reply: { body: view, location: `${jobRoutes.schedules.path}/${id}` }, audit };
      }),
    ),
    implement(jobRoutes.updateSchedule, (ctx, { params, body }) =>
      ctx.write(async (tx) => {
        const { id, project_id: projectId } = await findSchedule(tx, ctx.scope?.id, params.schedule_id);
        const { view, audit } = await write(tx, ctx, { id, projectId }, body);
        return { reply: { body: view }, audit };
      }),
    ),
    implement(jobRoutes.deleteSchedule, (ctx, { params }) =>
      ctx.write(async (tx) => {
        const { id, name, type } = await findSchedule(tx, ctx.scope?.id, params.schedule_id);
        if (types.get(type)?.route === null) throw failJob('job.forbidden', { reason: PROGRAM_ONLY });
        await deleteSchedule(tx, id);
        return { reply: {}, audit: { type: 'job_schedule', id, name } };
      }),
    ),
  ];
}

/** Nobody starts such a job, so nobody writes down why not. */
function withoutType(view: ScheduleView, now: Date): ScheduleView {
  const { code, message } = failJob('job.unknown_type', { type: view.type });
  return { ...view, error: { code, message, at: now.toISOString() } };
}
