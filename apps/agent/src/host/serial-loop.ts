import { sleep } from '@flotilla/kit';

/** One look at the world. `signal` aborts when the world has changed. Resolves with when to look again, if at all. */
export type Pass = (signal: AbortSignal) => Promise<number | undefined>;

/**
 * Brings something towards what is wanted, one pass after the other.
 *
 * *Idle* until woken or until the time the last pass asked for; *passing* while a pass runs; a wake meanwhile leads to one more
 * pass, an interrupt also aborts the running one's waits; *closed* for good after `close`, which waits for the running pass.
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
    // Callers finish what they are doing before the first pass looks
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
      // In one step with the look at #wanted: a wake in between would be lost
      this.#running = undefined;
    }
  }
}

/** Waits for `work`, but only until `signal` aborts: then undefined, and the work goes on unwatched. */
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

/** Asks again and again until `probe` gives something; undefined when `ms` have passed or `signal` aborts. */
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
