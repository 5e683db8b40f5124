import { sleep } from '@flotilla/kit';

/** One iteration. `signal` aborts at an interrupt. Resolves with the delay in milliseconds until the next one, if any. */
export type Pass = (signal: AbortSignal) => Promise<number | undefined>;

/**
 * Runs passes that bring something to its desired state, one after the other.
 *
 * *Idle*: no pass is running. `wake`, or the delay that the last pass returned, starts one. *Passing*: a pass is running. `wake`
 * causes one more pass, and `interrupt` also aborts the signal of the running one. *Closed*: final. `close` waits for the
 * running pass.
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
    // Callers finish their synchronous work before the first pass.
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
      // This runs in the same step as the check of #wanted. Otherwise a wake in between would be lost.
      this.#running = undefined;
    }
  }
}

/** Waits for `work`. If `signal` aborts first, returns undefined, and the work continues without an observer. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  work.catch(() => undefined);
  if (signal.aborted) return undefined;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const stop = () => resolve(undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Polls until `probe` returns a value. Returns undefined after `ms` or when `signal` aborts. */
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
