import { Backoff } from '@flotilla/kit';
import { Revival } from '../revival.ts';

const RETRY = { initialMs: 100, maxMs: 10_000, jitter: 0.2 };
/** Interval between checks whether a started filter is on standby. */
const CHECK_INTERVAL_MS = 500;

/**
 * Decides when the standby filter is started.
 *
 * *Unproven*: after a start. *Live*: the filter reports that it is on standby. If a filter has ended or has taken over, another
 * one is started: soon if it was live, otherwise after growing delays.
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

  /** Records that the standby filter has taken over. */
  noteTaken(): void {
    this.#retryAt = performance.now() + this.#revival.next();
  }

  /** Checks whether the filter is on standby. Resolves with the milliseconds until the next check, or undefined if it is live. */
  async check(readPolicy: () => Promise<string | undefined>): Promise<number | undefined> {
    if (this.#isLive) return undefined;
    this.#isLive = (await readPolicy()) !== undefined;
    if (!this.#isLive) return CHECK_INTERVAL_MS;
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
