import type { Db } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import { dropLease, type LeaseTiming, renewLease, takeLease } from '../../../platform/presence/index.ts';

const LEASE = 'event_store';
const TIMING: LeaseTiming = { lifeMs: 15_000, renewMs: 3000 };

export interface SeatDeps {
  readonly db: Db;
  readonly controllerId: string;
  readonly logger: Logger;
  /** The seat was taken or lost. */
  readonly onChange: (isTaken: boolean) => Promise<void>;
  readonly timing?: LeaseTiming;
}

/**
 * The right to collect with the embedded event store. One controller has it, because the events of an installation would otherwise be divided over the files
 * of several.
 *
 * *free*: looks for the lease at an interval. *taken*: renews it; when the lease may have ended by this process's own clock, the seat is lost.
 */
export class EventStoreSeat implements Closable {
  readonly #deps: SeatDeps;
  readonly #timing: LeaseTiming;
  #fence: number | undefined;
  #untilMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(deps: SeatDeps) {
    this.#deps = deps;
    this.#timing = deps.timing ?? TIMING;
  }

  get isTaken(): boolean {
    return this.#fence !== undefined && performance.now() < this.#untilMs;
  }

  async start(): Promise<void> {
    await this.#look();
    this.#timer = setInterval(() => {
      this.#looking = this.#looking.then(() => this.#look());
    }, this.#timing.renewMs);
    this.#timer.unref();
  }

  /** Gives the seat back, so that another controller need not wait for the end of the lease. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    const fence = this.#fence;
    this.#fence = undefined;
    if (fence !== undefined) await dropLease(this.#deps.db, LEASE, fence);
  }

  async #look(): Promise<void> {
    const { db, controllerId, logger, onChange } = this.#deps;
    const { lifeMs } = this.#timing;
    const had = this.#fence !== undefined;
    // Measured before the query: the lease ends no earlier than this.
    const askedAtMs = performance.now();
    try {
      if (this.#fence !== undefined && !(await renewLease(db, { name: LEASE, fence: this.#fence, lifeMs }))) {
        this.#fence = undefined;
      }
      this.#fence ??= await takeLease(db, { name: LEASE, holder: controllerId, lifeMs });
      if (this.#fence !== undefined) this.#untilMs = askedAtMs + lifeMs;
    } catch (error) {
      logger.warn({ err: error }, 'collector.seat_failed');
      if (!this.isTaken) this.#fence = undefined;
    }
    const has = this.#fence !== undefined;
    if (had === has) return;
    logger.info({ fence: this.#fence }, has ? 'collector.seat_taken' : 'collector.seat_lost');
    await onChange(has);
  }
}
