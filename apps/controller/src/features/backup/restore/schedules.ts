import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import * as z from 'zod';
import type { RequestContext } from '../../../http/context.ts';
import {
  countSchedules,
  findPermit,
  type JobActor,
  type Jobs,
  SCHEDULES_MAX,
  toJobActor,
  writeSchedule,
} from '../../jobs/index.ts';
import { SWITCHED_OFF } from './choices.ts';
import type { Restorable } from './content.ts';
import type { RestorableSchedule } from './schedule-rows.ts';
import { findSchedules, type ScheduleHere } from './schedule-store.ts';
import type { Judged } from './standing.ts';

type Types = Pick<Jobs['types'], 'get' | 'open' | 'store'>;

interface SchedulesOrder {
  readonly tx: Tx;
  readonly project: string;
  readonly types: Types;
  /** Who restores; undefined: the program itself, which only tries out. */
  readonly actor: JobActor | undefined;
  readonly schedules: readonly Restorable<RestorableSchedule>[];
  /** By the id in the backup, what is here or will be made; `id`: the one that it has here. */
  readonly things: ReadonlyMap<string, { readonly id: string | undefined }>;
}

const REASONS = {
  unknown: 'nobody may have jobs of their type, or not with these parameters, started by the clock here',
  forbidden: 'whoever restores may not have their jobs started',
  elsewhere: 'their parameters name something that is not restored with them',
  full: `a project has ${SCHEDULES_MAX} schedules at most`,
} as const;

/** Whose rights the schedules of a restore will need. */
export function actorOf(ctx: Pick<RequestContext, 'actor'>): JobActor | undefined {
  return ctx.actor.kind === 'anonymous' ? undefined : toJobActor(ctx);
}

/** Those that whoever restores could have written. All of them will be switched off. `room`: for so many more. */
export async function judgeSchedules(order: SchedulesOrder) {
  const { tx, project, types, actor, schedules, things } = order;
  const here = await findSchedules(
    tx,
    project,
    schedules.map(({ body }) => body.name),
  );
  const judged: Judged<RestorableSchedule>[] = [];
  const refused = { unknown: 0, forbidden: 0, elsewhere: 0, full: 0 };
  let room = SCHEDULES_MAX - (await countSchedules(tx, project));
  for (const item of schedules) {
    const { body } = item;
    const mapped = mapParams(body.params, (from) => {
      const thing = things.get(from);
      return thing && (thing.id ?? from);
    });
    const type = types.get(body.type);
    const parsed = type?.params.safeParse(mapped.params);
    if (mapped.isForeign) refused.elsewhere += 1;
    else if (!type?.route || !parsed?.success) refused.unknown += 1;
    else if (actor && (await findPermit(tx, { actor, project, route: type.route })).refusal !== undefined)
      refused.forbidden += 1;
    else {
      const found = here.get(body.name);
      const isSame = found !== undefined && isAsHere(types, found, { ...body, params: parsed.data });
      const name = `${body.name}${SWITCHED_OFF}`;
      if (found) judged.push({ item, name, standing: isSame ? { is: 'same' } : { is: 'other', revision: 0 } });
      else if (room <= 0) refused.full += 1;
      else {
        judged.push({ item, name, standing: { is: 'new' } });
        room -= 1;
      }
    }
  }
  const notTaken = (['unknown', 'forbidden', 'elsewhere', 'full'] as const).map((why) => ({
    kind: 'schedules',
    count: refused[why],
    reason: REASONS[why],
  }));
  return { judged, room, notTaken };
}

function isAsHere(
  types: Types,
  found: ScheduleHere,
  wanted: Omit<RestorableSchedule, 'params'> & { readonly params: unknown },
): boolean {
  const type = types.get(found.type);
  if (!type || found.type !== wanted.type || found.cron !== wanted.cron || found.time_zone !== wanted.timeZone)
    return false;
  let params: unknown;
  try {
    params = types.open(type, found.id, found);
  } catch {
    // What cannot be read any more is as nothing that a backup holds, and can be replaced.
    return false;
  }
  return isDeepStrictEqual(params, wanted.params);
}

const uuid = z.uuid();

/** Ids anywhere in them become those that are here; of what is not, `isForeign` tells. */
function mapParams(params: RestorableSchedule['params'], idOf: (from: string) => string | undefined) {
  let isForeign = false;
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, visit(member)]));
    if (!uuid.safeParse(value).success) return value;
    const to = idOf(String(value).toLowerCase());
    isForeign ||= to === undefined;
    return to;
  };
  return { params: visit(params), isForeign };
}

interface Writing {
  readonly ctx: RequestContext;
  readonly tx: Tx;
  readonly types: Types;
}

/** Switched off, in the name of whoever restores. `idOf`: as for permissions. */
export async function writeSchedules(
  { ctx, tx, types }: Writing,
  wanted: readonly Restorable<RestorableSchedule>[],
  idOf: (from: string) => string | undefined,
): Promise<{ from: string; name: string; to: string }[]> {
  const actor = actorOf(ctx);
  if (!actor) return [];
  const projectId = ctx.project.id;
  const here = await findSchedules(
    tx,
    projectId,
    wanted.map(({ body }) => body.name),
  );
  const written: { from: string; name: string; to: string }[] = [];
  for (const { from, body } of wanted) {
    const { name, cron, timeZone } = body;
    const type = types.get(body.type);
    const mapped = mapParams(body.params, idOf);
    if (!type || mapped.isForeign) throw new Error('the plan takes only what is known here');
    const id = here.get(name)?.id ?? createId(ctx.now.getTime());
    const params = types.store(type, id, mapped.params);
    const more = { name, type: type.type, cron, timeZone, actor };
    await writeSchedule(tx, { id, projectId, ...params, ...more, enabled: false, nextRunAt: null });
    written.push({ from, name, to: id });
  }
  return written;
}
