import { sleep } from '@flotilla/kit';

/** One iteration. `signal` aborts when the world has changed. Resolves with the delay until the next one, if any. */
export type Pass = (signal: AbortSignal) => Promise<number | undefined>;

/**
 * Brings something towards its desired state, one pass after the other.
 *
 * *Idle* until woken or until the time that the last pass requested; *passing* while a pass runs; a wake meanwhile
 * causes one more pass, an interrupt also aborts the running one's waits; *closed* for good after `close`, which waits
 * for the running pass.
 */
export class SerialLoop {
  readonly #pass: Pass;
  readonly #closing = new AbortController();
  #wanted = false;
  #closed = false;
  #current = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(pass: Pass) {
    this.#pass = pass;
  }

  /** Aborts when the loop is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  wake(): void {
    if (this.#closed) return;
    this.#wanted = true;
    clearTimeout(this.#timer);
    this.#running ??= this.#run();
  }

  interrupt(): void {
    this.#current.abort();
    this.wake();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#closing.abort();
    clearTimeout(this.#timer);
    this.#current.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    // Lets callers finish synchronously before the first pass
    await Promise.resolve();
    try {
      while (this.#wanted && !this.#closed) {
        this.#wanted = false;
        this.#current = new AbortController();
        const again = await this.#pass(this.#current.signal);
        if (again !== undefined && !this.#wanted && !this.#closed) {
          this.#timer = setTimeout(() => this.wake(), again);
        }
      }
    } finally {
      // In the same step as the check of #wanted, otherwise a wake in between would be lost
      this.#running = undefined;
    }
  }
}

/** Waits for `work`, but only until `signal` aborts: then returns undefined, and the work continues unobserved. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const stop = () => resolve(undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
    work.catch(() => undefined);
  }
}

/** Polls until `probe` returns a value; undefined after `ms` or when `signal` aborts. */
export async function poll<T>(
  probe: () => Promise<T | undefined>,
  options: { ms: number; everyMs: number; signal: AbortSignal },
): Promise<T | undefined> {
  const until = performance.now() + options.ms;
  while (!options.signal.aborted) {
    const found = await probe();
    if (found !== undefined) return found;
    if (performance.now() >= until) return undefined;
    await sleep(options.everyMs, options.signal);
  }
  return undefined;
}
