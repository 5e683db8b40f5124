import type { Db, Tx } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import { dropLease, renewLease, takeLease, whileLeased } from './lease-store.ts';

/** The lease of the one controller that does the work of the leader. */
export const LEADER_LEASE = 'leader';

export interface LeaseTiming {
  readonly lifeMs: number;
  readonly renewMs: number;
}

const TIMING: LeaseTiming = { lifeMs: 10_000, renewMs: 2000 };

export interface LeadershipDeps {
  readonly db: Db;
  readonly controllerId: string;
  readonly logger: Logger;
  readonly timing?: LeaseTiming;
}

/** Work that only one controller does at a time. */
export interface Leading {
  /** A hint by this process's own clock, for work that may safely be done twice. */
  readonly isLeading: boolean;
  /** Registers a duty of the leader, for display. */
  leads(duty: string): void;
  /** Runs in a transaction that commits only while this controller leads. Resolves to undefined if it does not. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T | undefined>;
}

/** Holds the leader's lease, or waits for it. */
export class Leadership implements Leading, Closable {
  readonly #deps: LeadershipDeps;
  readonly #timing: LeaseTiming;
  readonly #duties = new Set<string>();
  #fence: number | undefined;
  #untilMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(deps: LeadershipDeps) {
    this.#deps = deps;
    this.#timing = deps.timing ?? TIMING;
  }

  /** Resolves when a leader exists. The controller's row must exist. */
  async start(): Promise<void> {
    await this.#look();
    this.#timer = setInterval(() => {
      this.#looking = this.#looking
        .then(() => this.#look())
        .catch((error: unknown) => this.#deps.logger.warn({ err: error }, 'controllers.lease_failed'));
    }, this.#timing.renewMs);
    this.#timer.unref();
  }

  get isLeading(): boolean {
    return this.#fence !== undefined && performance.now() < this.#untilMs;
  }

  get duties(): readonly string[] {
    return [...this.#duties].toSorted();
  }

  leads(duty: string): void {
    this.#duties.add(duty);
  }

  async write<T>(work: (tx: Tx) => Promise<T>): Promise<T | undefined> {
    if (this.#fence === undefined) return undefined;
    const { lifeMs } = this.#timing;
    return whileLeased(this.#deps.db, { name: LEADER_LEASE, fence: this.#fence, lifeMs }, work);
  }

  /** Releases the lease, so that the next leader need not wait for its end. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    const fence = this.#fence;
    this.#fence = undefined;
    if (fence !== undefined) await dropLease(this.#deps.db, LEADER_LEASE, fence);
  }

  async #look(): Promise<void> {
    const { db, controllerId, logger } = this.#deps;
    const { lifeMs } = this.#timing;
    const name = LEADER_LEASE;
    // Measured before the query: by the database's clock the lease ends no earlier than this.
    const askedAtMs = performance.now();
    if (this.#fence !== undefined && !(await renewLease(db, { name, fence: this.#fence, lifeMs }))) {
      logger.warn({ fence: this.#fence }, 'controllers.lead_lost');
      this.#fence = undefined;
    }
    if (this.#fence === undefined) {
      this.#fence = await takeLease(db, { name, holder: controllerId, lifeMs });
      if (this.#fence === undefined) return;
      logger.info({ fence: this.#fence }, 'controllers.lead_taken');
    }
    this.#untilMs = askedAtMs + lifeMs;
  }
}
