import { fail, JOB_STUCK_AFTER_S, type JobDetailView, type JobView } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { type SqlBool, sql } from 'kysely';
import { executePage, type ListQuery, type ListRules, matchesText, parsePage } from '../../http/paging.ts';
import { isControllerLive } from '../controllers/index.ts';
import type { JobActor, TargetError } from './model.ts';
import type { JobTypes } from './types.ts';

const RULES: ListRules = { sortable: { created_at: 'jobs.created_at' }, defaultSort: '-created_at', id: 'jobs.id' };

/** Which jobs a caller sees. */
export interface JobScope {
  /** Undefined: every project, and what belongs to none. */
  readonly projectId: string | undefined;
  /** Undefined: whoever made it. */
  readonly madeBy: string | undefined;
}

export interface JobFilter {
  readonly status?: readonly JobView['status'][] | undefined;
  readonly type?: readonly string[] | undefined;
  readonly user?: readonly string[] | undefined;
  readonly parent?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly q?: string | undefined;
}

const shownStatus = sql<JobView['status']>`case
  when jobs.status = 'pending' and (jobs.children_open > 0 or jobs.run_at > statement_timestamp()) then 'waiting'
  else jobs.status end`;

function selectJobs(db: Db | Tx, { projectId, madeBy }: JobScope) {
  let query = db.selectFrom('jobs');
  if (projectId !== undefined) query = query.where('jobs.project_id', '=', projectId);
  if (madeBy !== undefined) query = query.where(sql<SqlBool>`jobs.actor ->> 'id' = ${madeBy}`);
  return query;
}

function selectFiltered(db: Db, scope: JobScope, { status, type, user, parent, from, to, q }: JobFilter) {
  let query = selectJobs(db, scope);
  if (status) query = query.where(shownStatus, 'in', status);
  if (type) query = query.where('jobs.type', 'in', type);
  if (user)
    query = query.where(
      sql<SqlBool>`(jobs.actor ->> 'id' = any(${user}::text[]) or jobs.actor ->> 'name' = any(${user}::text[]))`,
    );
  if (parent) query = query.where('jobs.parent_id', '=', parent);
  if (from) query = query.where('jobs.created_at', '>=', new Date(from));
  if (to) query = query.where('jobs.created_at', '<', new Date(to));
  if (q) {
    const number = /^\d{1,15}$/.test(q) ? Number(q) : undefined;
    query = query.where((eb) =>
      eb.or([matchesText(['jobs.type'], q), ...(number === undefined ? [] : [eb('jobs.number', '=', number)])]),
    );
  }
  return query;
}

export async function listJobs(db: Db, types: JobTypes, scope: JobScope, filter: JobFilter & ListQuery) {
  const select = selectFiltered(db, scope, filter).selectAll().select(shownStatus.as('shown'));
  const { rows, next_cursor } = await executePage(select, parsePage(filter, RULES));
  return { items: rows.map((row) => toView(types, row)), next_cursor };
}

/** By id or number. Throws record.not_found for a job that the caller does not see, as for one that never was. */
export async function findJobRow(db: Db | Tx, scope: JobScope, key: string) {
  const select = selectJobs(db, scope).selectAll().select(shownStatus.as('shown'));
  const row = await (key.includes('-')
    ? select.where('jobs.id', '=', key)
    : select.where('jobs.number', '=', Number(key))
  ).executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'job', name: key });
  return row;
}

export type JobRow = Awaited<ReturnType<typeof findJobRow>>;

export async function findJobDetail(db: Db, types: JobTypes, row: JobRow): Promise<JobDetailView> {
  const steps = await db.selectFrom('job_steps').selectAll().where('job_id', '=', row.id).orderBy('step').execute();
  return {
    ...toView(types, row),
    errors: (row.results ?? []) as TargetError[],
    steps: steps.map(({ name, status, attempt, started_at, ended_at, repeated }) => ({
      name,
      status,
      attempt,
      started_at: started_at.toISOString(),
      ended_at: ended_at?.toISOString() ?? null,
      repeated,
    })),
  };
}

export async function countJobs(db: Db, scope: JobScope, filter: JobFilter) {
  const count = sql<number>`count(*)::int`.as('count');
  const [byStatus, byType, queue] = await Promise.all([
    selectFiltered(db, scope, filter)
      .select([shownStatus.as('name'), count])
      .groupBy(shownStatus)
      .execute(),
    selectFiltered(db, scope, filter).select(['jobs.type as name', count]).groupBy('jobs.type').execute(),
    selectFiltered(db, scope, filter)
      .select([
        sql<number | null>`extract(epoch from statement_timestamp() - min(run_at) filter
          (where status = 'pending' and children_open = 0 and run_at <= statement_timestamp()))::float8`.as('oldest'),
        sql<number>`count(distinct leased_by) filter (where status = 'running')::int`.as('workers'),
      ])
      .executeTakeFirstOrThrow(),
  ]);
  const of = (name: JobView['status']) => byStatus.find((row) => row.name === name)?.count ?? 0;
  const toRecord = (rows: readonly { name: string; count: number }[]) =>
    Object.fromEntries(rows.map((row) => [row.name, row.count]));
  return {
    total: byStatus.reduce((sum, row) => sum + row.count, 0),
    by_status: toRecord(byStatus),
    by_type: toRecord(byType),
    queue_size: of('pending') + of('waiting'),
    running: of('running'),
    oldest_pending_s: queue.oldest,
    active_workers: queue.workers,
  };
}

const STUCK_MAX = 1000;

export async function listStuckJobs(db: Db, types: JobTypes, scope: JobScope): Promise<JobView[]> {
  const rows = await selectJobs(db, scope)
    .selectAll()
    .select(shownStatus.as('shown'))
    .where('jobs.status', '=', 'running')
    .where(sql<SqlBool>`jobs.leased_until < statement_timestamp() - ${JOB_STUCK_AFTER_S}::int * interval '1 second'`)
    .orderBy('jobs.leased_until')
    .limit(STUCK_MAX)
    .execute();
  return rows.map((row) => toView(types, row));
}

/** Controllers that are up, with how many of their slots are taken by what the caller may see; small jobs take none. */
export async function listWorkers(db: Db, { projectId }: Pick<JobScope, 'projectId'>) {
  return db
    .selectFrom('controllers')
    .leftJoin('jobs', (join) => {
      const running = join
        .onRef('jobs.leased_by', '=', 'controllers.id')
        .on('jobs.status', '=', 'running')
        .on('jobs.is_small', '=', false);
      return projectId === undefined ? running : running.on('jobs.project_id', '=', projectId);
    })
    .select(['controllers.id', 'controllers.seen_at', ({ fn }) => fn.count<number>('jobs.id').as('busy')])
    .where(isControllerLive)
    .groupBy(['controllers.id', 'controllers.seen_at'])
    .orderBy('controllers.id')
    .execute();
}

export function toView(types: JobTypes, row: JobRow): JobView {
  const type = types.get(row.type);
  const step = type?.steps[row.step];
  const isOpen = row.ended_at === null;
  return {
    id: row.id,
    number: row.number,
    project: row.project_id,
    type: row.type,
    title: type?.title ?? row.type,
    status: row.shown,
    progress: toProgress(row),
    step: isOpen && step ? { index: row.step, count: row.steps_total, name: step.name } : null,
    attempt: Math.max(row.attempt, 1),
    attempts_max: row.attempts_max,
    by: row.actor as unknown as JobActor,
    parent: row.parent_id,
    children: { total: row.children_total, open: row.children_open, failed: row.children_failed },
    retry_of: row.retry_of,
    cancel_requested: row.cancel_requested_at !== null,
    controller: row.leased_by,
    created_at: row.created_at.toISOString(),
    run_at: row.run_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
    error: row.error as JobView['error'],
  };
}

/** What the job says itself, else by its children, else by its steps. */
function toProgress(row: JobRow): JobView['progress'] {
  const said = row.progress as { done: number; total: number; failed: number } | null;
  const children = {
    done: row.children_total - row.children_open,
    total: row.children_total,
    failed: row.children_failed,
  };
  const steps = { done: row.ended_at && !row.error ? row.steps_total : row.step, total: row.steps_total, failed: 0 };
  const { done, total, failed } = said ?? (row.children_total > 0 ? children : steps);
  return { done, total, failed, percent: total === 0 ? 0 : Math.floor((100 * Math.min(done, total)) / total) };
}
