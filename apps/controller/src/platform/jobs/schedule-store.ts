import { fail, type ScheduleView } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { type RowOf, refuseSameName } from '../database/records.ts';
import { revisionOf } from '../http/etag.ts';
import type { JobActor } from './model.ts';
import type { StoredParams } from './types.ts';

export interface ScheduleRecord extends StoredParams {
  readonly id: string;
  readonly projectId: string | null;
  readonly name: string;
  readonly type: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly enabled: boolean;
  readonly actor: JobActor;
  readonly nextRunAt: Date | null;
}

/** `projectId` undefined: of all projects and of the installation. */
function selectSchedules(db: Db | Tx, projectId: string | undefined) {
  const select = db.selectFrom('job_schedules').selectAll();
  return projectId === undefined ? select : select.where('project_id', '=', projectId);
}

export type ScheduleRow = RowOf<typeof selectSchedules>;

export async function listSchedules(db: Db, projectId: string | undefined): Promise<ScheduleView[]> {
  return (await selectSchedules(db, projectId).orderBy('name').orderBy('id').execute()).map(toView);
}

export async function countSchedules(tx: Tx, projectId: string | null): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from job_schedules where project_id is not distinct from ${projectId}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Throws record.not_found, also for a schedule of another project. */
export async function findSchedule(db: Db | Tx, projectId: string | undefined, id: string): Promise<ScheduleRow> {
  return requireFound(await selectSchedules(db, projectId).where('id', '=', id).executeTakeFirst(), id);
}

/** Like `findSchedule`, with a row lock. */
export async function lockSchedule(tx: Tx, projectId: string | undefined, id: string): Promise<ScheduleRow> {
  return requireFound(await selectSchedules(tx, projectId).where('id', '=', id).forUpdate().executeTakeFirst(), id);
}

function requireFound(row: ScheduleRow | undefined, id: string): ScheduleRow {
  if (!row) throw fail('record.not_found', { kind: 'schedule', name: id });
  return row;
}

/** Inserts or replaces the schedule. Throws record.exists if another one has its name. */
export async function writeSchedule(tx: Tx, record: ScheduleRecord): Promise<ScheduleRow> {
  const { id, projectId, name, type, params, params_sealed, cron, timeZone, enabled, actor, nextRunAt } = record;
  const values = {
    name,
    type,
    params: JSON.stringify(params),
    params_sealed,
    cron,
    time_zone: timeZone,
    enabled,
    actor: JSON.stringify(actor),
    next_run_at: nextRunAt,
    failures: 0,
    error: null,
  };
  return refuseSameName('schedule', name, () =>
    tx
      .insertInto('job_schedules')
      .values({ id, project_id: projectId, ...values, created_at: sql<Date>`clock_timestamp()` })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
}

export async function deleteSchedule(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('job_schedules').where('id', '=', id).execute();
}

/** Creates a schedule of the program itself if it does not exist. Every controller calls it at start. */
export async function ensureSchedule(db: Db, record: ScheduleRecord): Promise<void> {
  const { projectId, timeZone, nextRunAt, params, actor, ...rest } = record;
  await db
    .insertInto('job_schedules')
    .values({
      ...rest,
      project_id: projectId,
      time_zone: timeZone,
      next_run_at: nextRunAt,
      params: JSON.stringify(params),
      actor: JSON.stringify(actor),
      created_at: sql<Date>`clock_timestamp()`,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
    .execute();
}

const DUE_MAX = 20;

/** Locks due schedules of these types, so that only one controller starts each. */
export function lockDue(tx: Tx, types: readonly string[], now: Date) {
  return tx
    .selectFrom('job_schedules')
    .selectAll()
    .where('enabled', '=', true)
    .where('next_run_at', '<=', now)
    .where('type', 'in', types)
    .orderBy('next_run_at')
    .limit(DUE_MAX)
    .forUpdate()
    .skipLocked()
    .execute();
}

/** Records that a schedule started a job, or had nothing to start, and clears its failures. */
export async function moveOn(
  tx: Tx,
  id: string,
  { nextRunAt, jobId }: { nextRunAt: Date | null; jobId: string | undefined },
): Promise<void> {
  await tx
    .updateTable('job_schedules')
    .set({ next_run_at: nextRunAt, failures: 0, error: null, ...(jobId !== undefined && { last_job_id: jobId }) })
    .where('id', '=', id)
    .execute();
}

export type ScheduleError = NonNullable<ScheduleView['error']>;

/** Records why a schedule could not start its job, and when it is tried again. */
export async function holdBack(
  tx: Tx,
  id: string,
  { nextRunAt, error }: { nextRunAt: Date; error: ScheduleError },
): Promise<void> {
  await tx
    .updateTable('job_schedules')
    .set(({ eb }) => ({ next_run_at: nextRunAt, failures: eb('failures', '+', 1), error: JSON.stringify(error) }))
    .where('id', '=', id)
    .execute();
}

/** Runs `work` in a savepoint: if it throws, its writes are rolled back and the transaction continues. */
export async function inPart<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint part`.execute(tx);
  try {
    const result = await work();
    await sql`release savepoint part`.execute(tx);
    return result;
  } catch (error) {
    await sql`rollback to savepoint part`.execute(tx);
    await sql`release savepoint part`.execute(tx);
    throw error;
  }
}

/** A digest of the editable fields; runs of the schedule do not change it. */
export function tagOfSchedule({
  name,
  type,
  params,
  params_sealed,
  cron,
  time_zone,
  enabled,
  actor,
}: ScheduleRow): string {
  return revisionOf([name, type, params, params_sealed?.toString('base64') ?? null, cron, time_zone, enabled, actor]);
}

export function toView(row: ScheduleRow): ScheduleView {
  return {
    id: row.id,
    project: row.project_id,
    name: row.name,
    type: row.type,
    cron: row.cron,
    time_zone: row.time_zone,
    enabled: row.enabled,
    params: row.params,
    by: row.actor as unknown as JobActor,
    next_run_at: row.next_run_at?.toISOString() ?? null,
    last_job: row.last_job_id,
    failures: row.failures,
    error: row.error as ScheduleView['error'],
  };
}
