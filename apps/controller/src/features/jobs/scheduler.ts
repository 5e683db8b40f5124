import type { Database, Tx } from '@flotilla/db';
import { AppError, type Closable, createId, type Logger } from '@flotilla/kit';
import type { Leading } from '../controllers/index.ts';
import { findNextRun } from './cron.ts';
import type { Jobs } from './jobs.ts';
import type { AnyJobType, JobActor, JobType } from './model.ts';
import { ensureSchedule, lockDue, moveOn } from './schedule-store.ts';

const LOOK_MS = 1000;

/** Starts jobs by the clock, where this controller leads. */
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

  /** For what the program itself does by the clock; what an owner has changed of it stays. */
  async ensure(type: JobType<Record<string, never>>, { name, cron }: { name: string; cron: string }): Promise<void> {
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

  /** A job for each schedule whose time has come, however often it came; the next time is set in the same transaction. */
  async startDue(now: Date): Promise<void> {
    const types = this.#jobs.types.all().map(({ type }) => type);
    if (types.length === 0) return;
    await this.#leadership.write(async (tx) => {
      for (const schedule of await lockDue(tx, types, now)) {
        const type = this.#jobs.types.get(schedule.type);
        if (!type) continue;
        const nextRunAt = findNextRun({ cron: schedule.cron, timeZone: schedule.time_zone }, now) ?? null;
        await moveOn(tx, schedule.id, { nextRunAt, jobId: await this.#start(tx, type, schedule) });
      }
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Undefined where the one before has not ended, or the parameters are not such that it could run. */
  async #start(
    tx: Tx,
    type: AnyJobType,
    schedule: Awaited<ReturnType<typeof lockDue>>[number],
  ): Promise<string | undefined> {
    try {
      const params = this.#jobs.types.open(type, schedule.id, schedule);
      const actor = schedule.actor as unknown as JobActor;
      return (await this.#jobs.enqueue(tx, type, { params, project: schedule.project_id, actor })).id;
    } catch (error) {
      if (!(error instanceof AppError) && !(error instanceof Error && error.name === 'ZodError')) throw error;
      this.#logger.warn({ err: error, schedule: schedule.id }, 'jobs.schedule_skipped');
      return undefined;
    }
  }
}
