import type { Database } from '@flotilla/db';
import { type Closable, CoalescedWork, type Logger, withDeadline } from '@flotilla/kit';
import { claimJobs, findLost, type HeldJob, inLease, JOBS_CHANNEL, renewLeases, takeBackLost } from './claim-store.ts';
import { tell } from './end-store.ts';
import { LEASE_MS } from './model.ts';
import { type Authorize, runJob } from './run-job.ts';
import { runSmallJobs } from './small-lane.ts';
import type { JobTypes } from './types.ts';

export interface RunnerTiming {
  readonly leaseMs: number;
  readonly beatMs: number;
  /** Poll interval for ready jobs, in case notifications are lost. */
  readonly pollMs: number;
  /** A step that still runs this long after its job was cancelled is logged. */
  readonly ignoredAfterMs: number;
}

const TIMING: RunnerTiming = { leaseMs: LEASE_MS, beatMs: 5000, pollMs: 1000, ignoredAfterMs: 30_000 };
export const LONG_SLOTS = 8;
const SMALL_BATCH = 100;
/** While one batch ends, the next one runs. */
const SMALL_BATCHES = 2;
/** Time for running steps to finish when the controller stops. */
const CLOSE_MS = 5000;

export interface RunnerDeps {
  readonly database: Pick<Database, 'db' | 'listen' | 'scoped'>;
  readonly logger: Logger;
  readonly types: JobTypes;
  readonly authorize: Authorize;
  /** Id of this controller; job rows name their holder by it. */
  readonly workerId: string;
  readonly timing?: Partial<RunnerTiming>;
}

interface Running {
  readonly fence: number;
  readonly abort: AbortController;
  cancelledAtMs: number | undefined;
  isIgnoredReported: boolean;
}

/** Claims jobs that any controller has queued and runs them in this process. */
export class Runner implements Closable {
  readonly #deps: RunnerDeps;
  readonly #timing: RunnerTiming;
  readonly #running = new Map<string, Running>();
  readonly #batches = new Set<readonly HeldJob[]>();
  readonly #work = new Set<Promise<void>>();
  readonly #small = new AbortController();
  #longOpen = 0;
  #timers: NodeJS.Timeout[] = [];
  #poll: NodeJS.Timeout | undefined;
  #stopListening: (() => Promise<void>) | undefined;
  readonly #pumping = new CoalescedWork(() => this.#pump());
  #beating: Promise<void> | undefined;
  #sweeping: Promise<void> | undefined;
  #isClosing = false;
  #closed: Promise<void> | undefined;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
    this.#timing = { ...TIMING, ...deps.timing };
  }

  async start(): Promise<void> {
    this.#stopListening = await this.#deps.database.listen(JOBS_CHANNEL, {
      onNotify: (payload) => (payload === 'cancel' ? this.#beat() : this.#wake()),
      onGap: () => {
        this.#beat();
        this.#wake();
      },
    });
    this.#timers = [
      setInterval(() => this.#beat(), this.#timing.beatMs),
      setInterval(() => this.#sweep(), this.#timing.pollMs),
    ];
    for (const timer of this.#timers) timer.unref();
    this.#wake();
    this.#pollAgain();
  }

  /**
   * Random intervals keep controllers out of step; otherwise the same one would always find what another one releases.
   */
  #pollAgain(): void {
    if (this.#isClosing) return;
    this.#poll = setTimeout(
      () => {
        this.#wake();
        this.#pollAgain();
      },
      this.#timing.pollMs * (0.5 + Math.random()),
    ).unref();
  }

  get busy(): number {
    return this.#longOpen;
  }

  /** Asks the steps to stop. Their jobs are released for other controllers, or remain leased until the lease ends. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#isClosing = true;
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#poll);
    await this.#stopListening?.();
    await this.#pumping.settle();
    for (const { abort } of this.#running.values()) abort.abort();
    this.#small.abort();
    try {
      await withDeadline(Promise.all(this.#work), CLOSE_MS, 'jobs go on');
    } catch (error) {
      this.#deps.logger.warn({ err: error, jobs: [...this.#running.keys()] }, 'jobs.not_stopped');
    }
    await this.#beating;
    await this.#sweeping;
  }

  #wake(): void {
    if (!this.#isClosing) this.#pumping.request();
  }

  async #pump(): Promise<void> {
    try {
      await this.#claimLong();
      await this.#claimSmall();
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'jobs.claim_failed');
    }
  }

  async #claimLong(): Promise<void> {
    const limit = LONG_SLOTS - this.#longOpen;
    if (limit <= 0 || this.#isClosing) return;
    for (const job of await claimJobs(this.#deps.database.db, { ...this.#request(false), limit })) {
      const running: Running = {
        fence: job.fence,
        abort: new AbortController(),
        cancelledAtMs: undefined,
        isIgnoredReported: false,
      };
      // The job was taken back from this worker, but an earlier attempt may still be running here.
      this.#running.get(job.id)?.abort.abort();
      this.#running.set(job.id, running);
      this.#longOpen += 1;
      const control = { signal: running.abort.signal, isClosing: () => this.#isClosing };
      this.#track(runJob(this.#runDeps(), job, control), () => {
        this.#longOpen -= 1;
        if (this.#running.get(job.id) === running) this.#running.delete(job.id);
      });
    }
  }

  async #claimSmall(): Promise<void> {
    if (this.#batches.size >= SMALL_BATCHES || this.#isClosing) return;
    const jobs = await claimJobs(this.#deps.database.db, { ...this.#request(true), limit: SMALL_BATCH });
    if (jobs.length === 0) return;
    this.#batches.add(jobs);
    const control = { signal: this.#small.signal, isClosing: () => this.#isClosing };
    this.#track(runSmallJobs(this.#runDeps(), jobs, control), () => {
      this.#batches.delete(jobs);
    });
    if (jobs.length === SMALL_BATCH) this.#pumping.request();
  }

  #request(isSmall: boolean) {
    const types = this.#deps.types.all().flatMap((type) => ((type.isSmall ?? false) === isSmall ? [type.type] : []));
    return { worker: this.#deps.workerId, types, isSmall, leaseMs: this.#timing.leaseMs };
  }

  #runDeps() {
    const { database, logger, types, authorize } = this.#deps;
    return { database, logger, types, authorize, leaseMs: this.#timing.leaseMs };
  }

  #track(work: Promise<void>, onEnd: () => void): void {
    const tracked = work
      // A job whose outcome could not be stored stays leased until the lease ends, and is then claimed again.
      .catch((error: unknown) => this.#deps.logger.warn({ err: error }, 'jobs.run_failed'))
      .finally(() => {
        this.#work.delete(tracked);
        onEnd();
        this.#wake();
      });
    this.#work.add(tracked);
  }

  #beat(): void {
    // A beat that hangs on a dead connection must leave time for another one before the leases end. It is abandoned,
    // not stopped: leases and steps are matched by fence, so a late beat does no harm.
    this.#beating ??= withDeadline(this.#renewAndStop(), this.#timing.leaseMs / 3, 'leases are not renewed in time')
      .catch((error: unknown) => this.#deps.logger.warn({ err: error }, 'jobs.beat_failed'))
      .finally(() => {
        this.#beating = undefined;
      });
  }

  async #renewAndStop(): Promise<void> {
    await this.#renew();
    await this.#stopLost();
  }

  async #renew(): Promise<void> {
    const { db } = this.#deps.database;
    const now = performance.now();
    const held = [...this.#running].map(([id, { fence }]) => ({ id, fence })).concat(...this.#batches);
    if (held.length === 0) return;
    for (const { id, fence, isCancelled } of await renewLeases(db, held, this.#timing.leaseMs)) {
      const running = this.#running.get(id);
      if (!running || running.fence !== fence || !isCancelled) continue;
      running.cancelledAtMs ??= now;
      running.abort.abort();
      if (running.isIgnoredReported || now - running.cancelledAtMs < this.#timing.ignoredAfterMs) continue;
      running.isIgnoredReported = true;
      this.#deps.logger.warn({ job: id }, 'jobs.cancel_ignored');
      await inLease(db, { id, fence, leaseMs: this.#timing.leaseMs }, (tx) => tell(tx, id, 'cancel.ignored', {}));
    }
  }

  /** Stops jobs that another worker may be running by now. */
  async #stopLost(): Promise<void> {
    const held = [...this.#running].map(([id, { fence }]) => ({ id, fence }));
    if (held.length === 0) return;
    for (const { id, fence } of await findLost(this.#deps.database.db, held)) {
      const running = this.#running.get(id);
      if (running?.fence === fence) running.abort.abort();
    }
  }

  /**
   * One at a time: hanging sweeps would occupy one connection after the other. A late one does no harm, like a beat.
   */
  #sweep(): void {
    this.#sweeping ??= withDeadline(this.#takeBack(), this.#timing.leaseMs / 3, 'lost jobs are not taken back in time')
      .catch((error: unknown) => this.#deps.logger.warn({ err: error }, 'jobs.sweep_failed'))
      .finally(() => {
        this.#sweeping = undefined;
      });
  }

  async #takeBack(): Promise<void> {
    if ((await takeBackLost(this.#deps.database.db)) > 0) this.#wake();
  }
}
