import type { Database, Tx } from '@flotilla/db';
import { AppError, type Closable, createId, type Logger } from '@flotilla/kit';
import type { Feature } from '../features/index.ts';
import type { Leading } from '../presence/index.ts';
import { findNextRun } from './cron.ts';
import type { Jobs } from './jobs.ts';
import { type AnyJobType, type JobActor, PermanentFailure } from './model.ts';
import { findRefusal } from './rights-store.ts';
import { ensureSchedule, holdBack, inPart, lockDue, moveOn, type ScheduleError } from './schedule-store.ts';

const LOOK_MS = 1000;

/** Starts jobs on a schedule while this controller is the leader. */
export class Scheduler implements Closable {
  readonly #database: Pick<Database, 'db'>;
  readonly #jobs: Jobs;
  readonly #leadership: Leading;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;

  constructor(deps: { database: Pick<Database, 'db'>; jobs: Jobs; leadership: Leading; logger: Logger }) {
    this.#database = deps.database;
    this.#jobs = deps.jobs;
    this.#leadership = deps.leadership;
    this.#logger = deps.logger;
    this.#leadership.leads('schedules');
    this.#timer = setInterval(() => {
      this.#running ??= this.startDue(new Date())
        .catch((error: unknown) => this.#logger.warn({ err: error }, 'jobs.schedule_failed'))
        .finally(() => {
          this.#running = undefined;
        });
    }, LOOK_MS);
    this.#timer.unref();
  }

  /** Creates the schedules that features declare and that do not exist yet. */
  async ensureAll(features: readonly Feature[]): Promise<void> {
    for (const { type, schedule } of features.flatMap(({ jobs = [] }) => jobs))
      if (schedule) await this.ensure({ type }, schedule);
  }

  /** Creates the schedule of a job that the program itself starts. It is created once, and nobody can delete it. */
  async ensure(type: Pick<AnyJobType, 'type'>, { name, cron }: { name: string; cron: string }): Promise<void> {
    const timeZone = 'UTC';
    await ensureSchedule(this.#database.db, {
      id: createId(),
      projectId: null,
      name,
      type: type.type,
      params: {},
      params_sealed: null,
      cron,
      timeZone,
      enabled: true,
      actor: { kind: 'system', id: null, name: 'system' },
      nextRunAt: findNextRun({ cron, timeZone }, new Date()) ?? null,
    });
  }

  /**
   * Starts one job for each due schedule, however many runs were missed, and sets the next time in the same
   * transaction. A schedule that cannot start its job records why, waits longer each time and does not delay the
   * others.
   */
  async startDue(now: Date): Promise<void> {
    const types = this.#jobs.types.all().map(({ type }) => type);
    if (types.length === 0) return;
    await this.#leadership.write(async (tx) => {
      for (const schedule of await lockDue(tx, types, now)) {
        try {
          await inPart(tx, () => this.#start(tx, schedule, now));
        } catch (error) {
          this.#logger.warn({ err: error, schedule: schedule.id }, 'jobs.schedule_failed');
          const nextRunAt = findRetry(schedule, now);
          await holdBack(tx, schedule.id, { nextRunAt, error: toScheduleError(error, now) });
        }
      }
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #start(tx: Tx, schedule: DueSchedule, now: Date): Promise<void> {
    const type = this.#jobs.types.get(schedule.type);
    if (!type) return;
    const nextRunAt = findNextRun({ cron: schedule.cron, timeZone: schedule.time_zone }, now) ?? null;
    const order = { project: schedule.project_id, actor: schedule.actor as unknown as JobActor };
    const params = this.#jobs.types.open(type, schedule.id, schedule);
    const refusal = await findRefusal(tx, { ...order, route: type.route, needs: type.needs?.(params) });
    if (refusal !== undefined)
      throw new PermanentFailure(
        'job.forbidden',
        `The user who wrote this schedule may not do what it starts: ${refusal}.`,
      );
    let jobId: string | undefined;
    try {
      ({ id: jobId } = await inPart(tx, () => this.#jobs.enqueue(tx, type, { ...order, params })));
    } catch (error) {
      // The previous job has not ended: skip this run.
      if (!(error instanceof AppError) || error.code !== 'job.busy') throw error;
    }
    await moveOn(tx, schedule.id, { nextRunAt, jobId });
  }
}

type DueSchedule = Awaited<ReturnType<typeof lockDue>>[number];

const RETRY_FIRST_MS = 60_000;
const RETRY_MAX_MS = 3_600_000;

/** The next regular time after the back-off; the end of the back-off if the rule cannot be parsed. */
function findRetry({ cron, time_zone: timeZone, failures }: DueSchedule, now: Date): Date {
  const earliest = new Date(now.getTime() + Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** Math.min(failures, 10)));
  try {
    return findNextRun({ cron, timeZone }, earliest) ?? earliest;
  } catch {
    return earliest;
  }
}

/** Texts of internal errors may contain anything, so they are only logged. */
function toScheduleError(error: unknown, now: Date): ScheduleError {
  const at = now.toISOString();
  if (error instanceof AppError || error instanceof PermanentFailure)
    return { code: error.code, message: error.message, at };
  if (error instanceof Error && error.name === 'ZodError')
    return { code: 'job.params', message: 'Its parameters are not those that this type of job takes.', at };
  return { code: 'schedule.failed', message: 'It could not start its job. The log of the controller says why.', at };
}
