import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { PolicyRuntime } from '@flotilla/decision';
import { threadClock } from '@flotilla/engines';
import type { Logger } from '@flotilla/kit';
import { collectLimiters, type Moment, restoreLimiters } from './limiter-state.ts';
import { decodeState, encodeState } from './state-file.ts';

/** The maximum that a killed filter loses if saving is fast. */
const SAVE_EVERY_MS = 1000;
/** The saving thread also answers requests: saving takes at most a twentieth of its time. */
const PAUSE_TIMES = 20;
/** Above the largest state that is ever written. */
const FILE_MAX_BYTES = 64 * 1024 * 1024;

export interface StateKeeperOptions {
  /** Absolute; its folder must exist. */
  readonly file: string;
  readonly runtime: () => PolicyRuntime;
  readonly logger: Logger;
  readonly saveEveryMs?: number;
  readonly now?: () => Moment;
}

const readClocks = (): Moment => ({ wallMs: threadClock.now(), monotonicMs: threadClock.monotonic() });

/**
 * Makes limiters survive the process: saves their state every few seconds and at the end, and restores it in a filter
 * that starts soon after. Leaves an unreadable, damaged, old or foreign file alone and logs it; limiters then start
 * full.
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

  /** Restores the runtime's limiters from the file. Call before requests are served. */
  async restore(runtime: PolicyRuntime): Promise<void> {
    const { file, logger } = this.#options;
    const outcome = await this.#read(runtime);
    if (typeof outcome === 'number') logger.info({ event: 'state_restored', file, buckets: outcome });
    else if (outcome !== undefined) logger.warn({ event: 'state_ignored', file, reason: outcome });
  }

  /** Starts saving periodically. */
  start(): void {
    this.#timer = setInterval(() => {
      if (performance.now() < this.#notBefore) return;
      this.#saving = this.#saving.then(() => this.#save());
    }, this.#options.saveEveryMs ?? SAVE_EVERY_MS);
    this.#timer.unref();
  }

  /** Saves a last time if saving was started; nothing may be served any more. */
  async close(): Promise<void> {
    // A filter that does not serve must not overwrite another one's state.
    if (this.#timer === undefined) return;
    await this.release();
  }

  /** Saves, and then leaves the file to another process. */
  async release(): Promise<void> {
    this.abandon();
    await this.#saving;
    await this.#save();
  }

  /** Leaves the file to another process unchanged. */
  abandon(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
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
      // Logged once, not every few seconds.
      if (!this.#hasFailed) logger.warn({ event: 'state_not_saved', file, err: error });
      this.#hasFailed = true;
    }
    const tookMs = performance.now() - beganAt;
    this.#notBefore = beganAt + PAUSE_TIMES * tookMs;
  }
}

/** Readers see either the old or the new file. Readable only for the filter's user. */
async function replaceFile(file: string, content: readonly Buffer[]): Promise<void> {
  const staged = `${file}.tmp`;
  await rm(staged, { force: true });
  await writeFile(staged, content, { mode: 0o600, flag: 'wx' });
  await rename(staged, file);
}
