import { type Closable, SerialQueue } from '@flotilla/kit';

export interface FlushLoopOptions {
  readonly intervalMs: number;
  readonly write: () => Promise<void>;
  /** Of a writing that nobody waits for. */
  readonly onFailure: (error: unknown) => void;
}

/** Has what gathers written again and again, one writing after the other, and once more when it is closed. */
export class FlushLoop implements Closable {
  readonly #options: FlushLoopOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #writing = new SerialQueue();

  constructor(options: FlushLoopOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#flushAlone(), options.intervalMs).unref();
  }

  /** Resolves when what has come in until now is written; throws what its own writing throws. */
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
