import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { PolicyRuntime } from '@flotilla/decision';
import { threadClock } from '@flotilla/engines';
import type { Logger } from '@flotilla/kit';
import { collectLimiters, type Moment, restoreLimiters } from './limiter-state.ts';
import { decodeState, encodeState } from './state-file.ts';

/** What a killed filter loses at most. */
const SAVE_EVERY_MS = 5000;
/** The thread that saves also answers requests: of its time saving takes no more than a twentieth. */
const PAUSE_TIMES = 20;
/** More than the largest state that is ever written. */
const FILE_MAX_BYTES = 64 * 1024 * 1024;

export interface StateKeeperOptions {
  /** Absolute; its folder must be there. */
  readonly file: string;
  readonly runtime: () => PolicyRuntime;
  readonly logger: Logger;
  readonly saveEveryMs?: number;
  readonly now?: () => Moment;
}

const readClocks = (): Moment => ({ wallMs: threadClock.now(), monotonicMs: threadClock.monotonic() });

/**
 * Lets limiters outlive the process: their state goes to a file every few seconds and at the end, and a filter that
 * starts soon after takes it over. A file that cannot be read, is damaged, old or of something else is left alone, with a
 * line in the log: limiters then begin anew.
 */
export class StateKeeper {
  readonly #options: StateKeeperOptions;
  readonly #now: () => Moment;
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();
  #isEmpty = false;
  #hasFailed = false;
  /** Monotonic ms. */
  #notBefore = 0;

  constructor(options: StateKeeperOptions) {
    this.#options = options;
    this.#now = options.now ?? readClocks;
  }

  /** Gives the limiters of the runtime what the file holds for them. Before requests are served. */
  async restore(runtime: PolicyRuntime): Promise<void> {
    const { file, logger } = this.#options;
    const outcome = await this.#read(runtime);
    if (typeof outcome === 'number') logger.info({ event: 'state_restored', file, buckets: outcome });
    else if (outcome !== undefined) logger.warn({ event: 'state_ignored', file, reason: outcome });
  }

  /** Saves from time to time, from now on. */
  start(): void {
    this.#timer = setInterval(() => {
      if (performance.now() < this.#notBefore) return;
      this.#saving = this.#saving.then(() => this.#save());
    }, this.#options.saveEveryMs ?? SAVE_EVERY_MS);
    this.#timer.unref();
  }

  /** Saves a last time, unless it was never started; nothing must be served any more. */
  async close(): Promise<void> {
    // Whoever did not come to serve must not replace what another has left.
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    await this.#saving;
    await this.#save();
  }

  async #read(runtime: PolicyRuntime): Promise<number | string | undefined> {
    const { file } = this.#options;
    try {
      const { size } = await stat(file);
      if (size > FILE_MAX_BYTES) return `has ${size} bytes`;
      const state = decodeState(await readFile(file));
      return typeof state === 'string' ? state : restoreLimiters(state, runtime, this.#now());
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      return code === 'ENOENT' ? undefined : `cannot be read (${code})`;
    }
  }

  async #save(): Promise<void> {
    const { file, logger } = this.#options;
    const beganAt = performance.now();
    try {
      const state = await collectLimiters(this.#options.runtime(), this.#now());
      const isEmpty = state.limiters.length === 0;
      if (isEmpty && this.#isEmpty) return;
      await replaceFile(file, await encodeState(state));
      this.#isEmpty = isEmpty;
      this.#hasFailed = false;
    } catch (error) {
      // Told once, not every few seconds.
      if (!this.#hasFailed) logger.warn({ event: 'state_not_saved', file, err: error });
      this.#hasFailed = true;
    }
    const tookMs = performance.now() - beganAt;
    this.#notBefore = beganAt + PAUSE_TIMES * tookMs;
  }
}

/** Whoever reads sees the file before or the file after. For the filter's user alone. */
async function replaceFile(file: string, content: readonly Buffer[]): Promise<void> {
  const staged = `${file}.tmp`;
  await rm(staged, { force: true });
  await writeFile(staged, content, { mode: 0o600, flag: 'wx' });
  await rename(staged, file);
}
