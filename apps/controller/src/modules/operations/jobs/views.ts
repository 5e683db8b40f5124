import { fail, JOB_STUCK_AFTER_S, type JobDetailView, type JobView } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { Rows, type SearchQuery } from '../../../platform/database/records.ts';
import type { JobActor } from '../../../platform/jobs/model.ts';
import { readErrors } from '../../../platform/jobs/target-errors.ts';
import type { JobTypes } from '../../../platform/jobs/types.ts';
import { isControllerLive } from '../../../platform/presence/index.ts';

/** The jobs that a caller can see. */
export interface JobScope {
  /** undefined: every project, and jobs without one. */
  readonly projectId: string | undefined;
  /** undefined: any creator. */
  readonly madeBy: string | undefined;
}

export interface JobFilter extends SearchQuery {
  readonly status?: readonly JobView['status'][] | undefined;
  readonly type?: readonly string[] | undefined;
  readonly statuses?: readonly JobView['status'][] | undefined;
  readonly user?: readonly string[] | undefined;
  readonly username?: string | undefined;
  readonly resource_name?: string | undefined;
  readonly parent?: readonly string[] | undefined;
  readonly installation?: boolean | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly start_date?: string | undefined;
  readonly end_date?: string | undefined;
}

const isWaiting = sql<SqlBool>`(jobs.children_open > 0 or jobs.run_at > statement_timestamp())`;
const shownStatus = sql<
  JobView['status']
>`case when jobs.status = 'pending' and ${isWaiting} then 'waiting' else jobs.status end`;

/** Filters by the indexed column, with literals so that partial indexes can be used. */
function isShownAs(statuses: readonly JobView['status'][]): RawBuilder<SqlBool> {
  const stored = statuses.filter((status) => status !== 'waiting' && status !== 'pending');
  const arms = stored.length > 0 ? [sql`jobs.status in (${sql.join(stored.map((status) => sql.lit(status)))})`] : [];
  const [waits, isReady] = [statuses.includes('waiting'), statuses.includes('pending')];
  if (waits && isReady) arms.push(sql`jobs.status = 'pending'`);
  else if (waits) arms.push(sql`(jobs.status = 'pending' and ${isWaiting})`);
  else if (isReady) arms.push(sql`(jobs.status = 'pending' and not ${isWaiting})`);
  return sql<SqlBool>`(${sql.join(arms, sql` or `)})`;
}

function selectJobs(db: Db | Tx, { projectId, madeBy }: JobScope) {
  let query = db.selectFrom('jobs');
  if (projectId !== undefined) query = query.where('jobs.project_id', '=', projectId);
  if (madeBy !== undefined) query = query.where(sql<SqlBool>`jobs.actor ->> 'id' = ${madeBy}`);
  return query;
}

const DAY_MS = 86_400_000;

const JOBS = new Rows<JobRow, JobRow, JobFilter>({
  sortable: { created_at: 'jobs.created_at' },
  defaultSort: '-created_at',
  id: 'jobs.id',
  searched: isAbout,
  filters: {
    type: 'jobs.type',
    user: (users) =>
      sql`(jobs.actor ->> 'id' = any(${users}::text[]) or jobs.actor ->> 'name' = any(${users}::text[]))`,
    username: (part) => contains(sql`jobs.actor ->> 'name'`, part),
    resource_name: (part) => contains(sql`jobs.resource_name`, part),
    parent: 'jobs.parent_id',
    installation: (is) => (is ? sql`jobs.project_id is null` : sql`jobs.project_id is not null`),
    from: (time) => sql`jobs.created_at >= ${new Date(time)}`,
    to: (time) => sql`jobs.created_at < ${new Date(time)}`,
    start_date: (day) => sql`jobs.created_at >= ${new Date(day)}`,
    end_date: (day) => sql`jobs.created_at < ${new Date(Date.parse(day) + DAY_MS)}`,
  },
  toView: (row) => row,
});

function isAbout(text: string): RawBuilder<SqlBool> {
  const arms = [contains(sql`jobs.type`, text), contains(sql`jobs.resource_name`, text)];
  if (/^\d{1,15}$/.test(text)) arms.push(sql`jobs.number = ${Number(text)}`);
  return sql<SqlBool>`(${sql.join(arms, sql` or `)})`;
}

function contains(text: RawBuilder<unknown>, part: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`strpos(lower(${text}), lower(${part})) > 0`;
}

function selectFiltered(db: Db, scope: JobScope, filter: JobFilter) {
  const { status = [], statuses = [] } = filter;
  const shown = [...status, ...statuses];
  const select = JOBS.narrow(selectJobs(db, scope), filter);
  return shown.length > 0 ? select.where(isShownAs(shown)) : select;
}

export type JobListQuery = JobFilter & { readonly offset?: number | undefined };

export async function listJobs(db: Db, types: JobTypes, scope: JobScope, filter: JobListQuery) {
  const { offset = 0, cursor } = filter;
  if (offset > 0 && cursor !== undefined)
    throw fail('request.invalid', { reason: 'offset: a cursor says already where the page begins' });
  const select = selectFiltered(db, scope, filter).selectAll().select(shownStatus.as('shown')).offset(offset);
  const { items, ...page } = await JOBS.list(select, filter);
  return { ...page, items: items.map((row) => toView(types, row)) };
}

/**
 * Finds a job by id or number; numbers count per project, or within the installation. Throws record.not_found, also for
 * a job that the caller cannot see.
 */
export async function findJobRow(db: Db | Tx, scope: JobScope, key: string) {
  const select = selectJobs(db, scope).selectAll().select(shownStatus.as('shown'));
  const isOfScope = sql<SqlBool>`jobs.project_id is not distinct from ${scope.projectId ?? null}`;
  const row = await (key.includes('-')
    ? select.where('jobs.id', '=', key)
    : select.where('jobs.number', '=', Number(key)).where(isOfScope)
  ).executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'job', name: key });
  return row;
}

export type JobRow = Awaited<ReturnType<typeof findJobRow>>;

export async function findJobDetail(db: Db, types: JobTypes, row: JobRow): Promise<JobDetailView> {
  const steps = await db.selectFrom('job_steps').selectAll().where('job_id', '=', row.id).orderBy('step').execute();
  const { errors, leftOut } = readErrors(row.results);
  return {
    ...toView(types, row),
    errors: [...errors],
    errors_left_out: leftOut.failed + leftOut.pending,
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

const USERS_COUNTED = 20;

export async function countJobs(db: Db, scope: JobScope, filter: JobFilter, now: Date) {
  const count = sql<number>`count(*)::int`.as('count');
  const by = (name: RawBuilder<string>) =>
    selectFiltered(db, scope, filter)
      .select([name.as('name'), count])
      .groupBy(name)
      .orderBy('count', 'desc')
      .orderBy('name');
  const [byStatus, byType, byResource, byUser, rest] = await Promise.all([
    by(shownStatus).execute(),
    by(sql<string>`jobs.type`).execute(),
    by(sql<string>`jobs.resource_type`).where('jobs.resource_type', 'is not', null).execute(),
    by(sql<string>`jobs.actor ->> 'name'`).limit(USERS_COUNTED).execute(),
    selectFiltered(db, scope, filter)
      .select([
        sql<number | null>`extract(epoch from statement_timestamp() - min(run_at) filter
          (where status = 'pending' and children_open = 0 and run_at <= statement_timestamp()))::float8`.as('oldest'),
        sql<number>`count(distinct leased_by) filter (where status = 'running')::int`.as('workers'),
        sql<number>`count(*) filter (where created_at > statement_timestamp() - interval '24 hours')::int`.as('recent'),
      ])
      .executeTakeFirstOrThrow(),
  ]);
  const of = (name: JobView['status']) => byStatus.find((row) => row.name === name)?.count ?? 0;
  const toRecord = (rows: readonly { name: string; count: number }[]) =>
    Object.fromEntries(rows.map((row) => [row.name, row.count]));
  return {
    total_jobs: byStatus.reduce((sum, row) => sum + row.count, 0),
    jobs_by_status: toRecord(byStatus),
    jobs_by_type: toRecord(byType),
    jobs_by_resource: toRecord(byResource),
    jobs_by_user: toRecord(byUser),
    recent_jobs: rest.recent,
    queue_size: of('pending') + of('waiting'),
    processing_jobs: of('running'),
    oldest_pending_s: rest.oldest,
    active_workers: rest.workers,
    last_updated: now.toISOString(),
  };
}

const STUCK_MAX = 1000;

export async function listStuckJobs(db: Db | Tx, types: JobTypes, scope: JobScope): Promise<JobView[]> {
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

/** Live controllers with the number of slots used by jobs that the caller can see; small jobs use none. */
export async function listWorkers(db: Db, { projectId, madeBy }: JobScope) {
  return db
    .selectFrom('controllers')
    .leftJoin('jobs', (join) => {
      let running = join
        .onRef('jobs.leased_by', '=', 'controllers.id')
        .on('jobs.status', '=', 'running')
        .on('jobs.is_small', '=', false);
      if (projectId !== undefined) running = running.on('jobs.project_id', '=', projectId);
      return madeBy === undefined ? running : running.on(sql<SqlBool>`jobs.actor ->> 'id' = ${madeBy}`);
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
    resource:
      row.resource_type === null || row.resource_name === null
        ? null
        : { type: row.resource_type, name: row.resource_name },
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

/** The progress that the job reports, otherwise that of its children, otherwise of its steps. */
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
