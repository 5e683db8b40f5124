import { CoalescedWork } from './coalesced-work.ts';
import type { Closable } from './lifecycle.ts';
import type { Logger } from './logger.ts';

export interface RepeatedWorkOptions {
  readonly everyMs: number;
  readonly logger: Pick<Logger, 'warn'>;
  /** The message of the log when the work fails. */
  readonly failure: string;
}

/** Does work again and again, one at a time: each `everyMs`, and when somebody asks for it. The next time follows even if one fails. */
export class RepeatedWork implements Closable {
  readonly #everyMs: number;
  readonly #runs: CoalescedWork;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ everyMs, logger, failure }: RepeatedWorkOptions, work: () => Promise<void>) {
    this.#everyMs = everyMs;
    this.#runs = new CoalescedWork(async () => {
      try {
        if (!this.#isClosed) await work();
      } catch (error) {
        logger.warn({ err: error }, failure);
      }
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  start(): void {
    this.#timer = setInterval(() => this.request(), this.#everyMs);
    this.#timer.unref();
  }

  request(): void {
    if (!this.#isClosed) this.#runs.request();
  }

  /** Resolves when the work that has begun has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#runs.settle();
  }
}
