import { Backoff } from '@flotilla/kit';
import { Revival } from '../revival.ts';

const RETRY = { initialMs: 100, maxMs: 10_000, jitter: 0.2 };
/** Interval at which a started filter is asked whether it stands by. */
const LOOK_EVERY_MS = 500;

/**
 * Decides when the standby filter is started. The slot is *unproven* after a start and *live* once the filter reports
 * that it stands by. A filter that has ended, or that serves now, gets a successor: soon if it was live, after growing
 * delays if it was not.
 */
export class StandbySlot {
  /** Delays the restart of a filter that ended before it was live. */
  readonly #backoff = new Backoff(RETRY);
  readonly #revival = new Revival();
  #retryAt = 0;
  /** A filter that an earlier agent started counts as live. */
  #isLive = true;

  get isLive(): boolean {
    return this.#isLive;
  }

  noteStart(): void {
    this.#retryAt = 0;
    this.#isLive = false;
    this.#revival.noteStart();
  }

  /** Records that the standby filter serves now. */
  noteTaken(): void {
    this.#retryAt = performance.now() + this.#revival.next();
  }

  /** Asks whether the filter stands by until it does. Resolves with the milliseconds until the next question. */
  async look(ask: () => Promise<string | undefined>): Promise<number | undefined> {
    if (this.#isLive) return undefined;
    this.#isLive = (await ask()) !== undefined;
    if (!this.#isLive) return LOOK_EVERY_MS;
    this.#backoff.reset();
    return undefined;
  }

  /** Returns the milliseconds until another filter may be started. 0 or less means at once. */
  nextStart({ hasEnded }: { readonly hasEnded: boolean }): number {
    const now = performance.now();
    if (hasEnded && this.#retryAt === 0) {
      this.#retryAt = now + (this.#isLive ? this.#revival.next() : this.#backoff.next() - RETRY.initialMs);
    }
    return this.#retryAt - now;
  }
}
