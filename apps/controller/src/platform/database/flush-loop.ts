import { type Closable, SerialQueue } from '@flotilla/kit';

export interface FlushLoopOptions {
  readonly intervalMs: number;
  readonly write: () => Promise<void>;
  /** Called when a scheduled write fails. */
  readonly onFailure: (error: unknown) => void;
}

/** Writes what gathers at an interval, one write after the other, and once more when it is closed. */
export class FlushLoop implements Closable {
  readonly #options: FlushLoopOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #writing = new SerialQueue();

  constructor(options: FlushLoopOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#flushAlone(), options.intervalMs).unref();
  }

  /** Resolves when everything gathered so far is written; rejects with the error of its own write. */
  flush(): Promise<void> {
    return this.#writing.run(() => this.#options.write());
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flushAlone();
  }

  async #flushAlone(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      this.#options.onFailure(error);
    }
  }
}
