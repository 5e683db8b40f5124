import type { Db } from '@flotilla/db';
import { AppError, type Closable, type Logger } from '@flotilla/kit';
import type { Jobs, JobType } from '../../../platform/jobs/index.ts';
import type { RewriteParams } from './job.ts';
import { findLastStart } from './store.ts';

export interface RewriteRequestDeps {
  readonly db: Db;
  readonly jobs: Jobs;
  readonly job: JobType<RewriteParams>;
  readonly logger: Logger;
  readonly now?: () => number;
  readonly times?: Partial<RewriteTimes>;
}

export interface RewriteTimes {
  /** Until what was learned is stored, and other changes of the same moment have arrived. */
  readonly waitMs: number;
  /** Between the beginnings of two runs of a project. */
  readonly restMs: number;
  /** Until a request is tried again that met a running job. */
  readonly retryMs: number;
}

const TIMES: RewriteTimes = { waitMs: 20_000, restMs: 120_000, retryMs: 30_000 };
const PENDING_MAX = 10_000;
/** A request that fails so often is dropped: its project may be gone. */
const FAILURES_MAX = 5;

/** Starts the job that names operations again when their names may have changed: once for many changes, and again for those that a running job has missed. */
export class RewriteRequests implements Closable {
  readonly #deps: RewriteRequestDeps;
  readonly #times: RewriteTimes;
  /** Projects, with how often their requests have failed. */
  readonly #pending = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(deps: RewriteRequestDeps) {
    this.#deps = deps;
    this.#times = { ...TIMES, ...deps.times };
  }

  request(project: string): void {
    if (this.#pending.size < PENDING_MAX) this.#pending.set(project, 0);
    this.#plan(0);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#pending.clear();
    await this.#running;
  }

  #plan(delayMs: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#startAll();
    }, delayMs);
    this.#timer.unref();
  }

  async #startAll(): Promise<void> {
    for (const [project, failures] of [...this.#pending]) {
      this.#pending.delete(project);
      try {
        await this.#start(project);
      } catch (error) {
        const isBusy = error instanceof AppError && error.code === 'job.busy';
        if (!isBusy) this.#deps.logger.warn({ err: error, project_id: project }, 'inventory.rewrite_not_started');
        if (isBusy || failures + 1 < FAILURES_MAX) this.#pending.set(project, isBusy ? failures : failures + 1);
      }
    }
    if (this.#pending.size > 0) this.#plan(this.#times.retryMs);
  }

  async #start(project: string): Promise<void> {
    const { db, jobs, job, now = Date.now } = this.#deps;
    const last = await findLastStart(db, project);
    const earliest = last === undefined ? 0 : last.getTime() + this.#times.restMs;
    const runAt = new Date(Math.max(now() + this.#times.waitMs, earliest));
    const actor = { kind: 'system', id: null, name: 'Flotilla' } as const;
    await db
      .transaction()
      .execute((tx) => jobs.enqueue(tx, job, { params: { apply: true, automatic: true }, project, actor, runAt }));
  }
}
