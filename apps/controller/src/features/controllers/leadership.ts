import type { Db, Tx } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import { dropLease, renewLease, takeLease, whileLeased } from './lease-store.ts';

/** The lease of whoever does what only one of all controllers does at a time. */
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

/** Work of which one controller of all does it at a time. */
export interface Leading {
  /** A hint, by this process' own clock: for what may be done twice without harm. */
  readonly isLeading: boolean;
  /** Names what is done by the leader, for those who look. */
  leads(duty: string): void;
  /** In a transaction that commits only while this controller leads. Undefined: it does not. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T | undefined>;
}

/** Holds the lease of the leader, or waits for it. */
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

  /** Resolves when it leads, or somebody else does. The controller's row must be there. */
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

  /** The next one need not wait until the lease is over. */
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
    // From before the question: the lease ends by the database's clock no earlier than this.
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
