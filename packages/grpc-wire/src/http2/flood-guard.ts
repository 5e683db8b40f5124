import type { WireLimits } from './limits.ts';

/** Events counted per second: errors of the peer, and calls that it abandons. */
export const FLOOD = { unansweredResets: 0, streamErrors: 1 } as const;

export const FLOOD_LIMITS = ['unanswered_resets', 'stream_errors'] as const;

/**
 * Cost of frames that carry no data, in units of the cheapest one (15 to 20 ns). A frame that needs a reply costs two.
 * SETTINGS that change the window visit every stream, and scan the stream table even when it is empty.
 */
export const WORK = {
  ping: 2,
  settings: 2,
  /** Bytes of SETTINGS that cost one unit. */
  settingsBytes: 32,
  windowChange: 64,
  emptyData: 1,
  windowUpdate: 1,
  ignoredFrame: 1,
  continuation: 1,
  /** A frame on a stream that we have reset. Header blocks are decoded even then. */
  lateFrame: 1,
  lateHeaders: 16,
} as const;

/** A DATA frame with content pays for the related flow control: both windows and a PING. */
const EARNED_BY_DATA = 4;

const WINDOW_MS = 1000;

/**
 * Bounds the work that a peer causes without sending data. A token bucket that fills with time and with DATA pays for
 * it: a client may send as many PINGs or WINDOW_UPDATEs as its data needs, but one that sends nothing else runs out.
 * Time is that of the server's ticks, so no clock is read per frame.
 */
export class FloodGuard {
  readonly #limits: Float64Array;
  readonly #counts = new Float64Array(FLOOD_LIMITS.length);
  readonly #capacity: number;
  #budget: number;
  /** DATA frames since the last spending. */
  #dataFrames = 0;
  #sinceMs: number;
  #filledMs: number;

  constructor(limits: WireLimits, nowMs: number) {
    this.#sinceMs = nowMs;
    this.#filledMs = nowMs;
    this.#limits = Float64Array.of(limits.unansweredResetsPerSecond, limits.streamErrorsPerSecond);
    this.#capacity = limits.overheadPerSecond;
    this.#budget = this.#capacity;
  }

  /** Counts an event of this kind; true if there were too many. */
  isOver(kind: number): boolean {
    const count = (this.#counts[kind] as number) + 1;
    this.#counts[kind] = count;
    return count > (this.#limits[kind] as number);
  }

  /**
   * Counts a DATA frame with content. The budget is computed later, because there are far more DATA frames than frames
   * that spend.
   */
  earn(): void {
    this.#dataFrames += 1;
  }

  /** Takes `units` of work from the budget; false if too little is left. */
  spend(units: number): boolean {
    this.#fill(this.#dataFrames * EARNED_BY_DATA);
    this.#dataFrames = 0;
    this.#budget -= units;
    return this.#budget >= 0;
  }

  tick(nowMs: number): void {
    this.#fill((this.#capacity * (nowMs - this.#filledMs)) / WINDOW_MS);
    this.#filledMs = nowMs;
    if (nowMs - this.#sinceMs < WINDOW_MS) return;
    this.#sinceMs = nowMs;
    this.#counts.fill(0);
  }

  #fill(units: number): void {
    this.#budget = Math.min(this.#budget + units, this.#capacity);
  }
}
