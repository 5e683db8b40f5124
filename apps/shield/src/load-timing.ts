import { type Clock, systemClock } from '@flotilla/kit';

export interface LoadTimes {
  /** Quiet time after the last change before a bundle may hold, in ms. It is read meanwhile. */
  readonly debounceMs?: number | undefined;
  /** A burst of changes without quiet time is loaded after this time all the same, in ms. */
  readonly burstMaxMs?: number | undefined;
  /** How often the files are compared without any notification, in ms. */
  readonly rescanMs?: number | undefined;
}

const DEBOUNCE_MS = 50;
const BURST_MAX_MS = 1000;
const RESCAN_MS = 2000;

/** What there is to do, and the clock that bursts are measured with. Neither call is waited for; neither may throw. */
export interface LoadTimingOptions extends LoadTimes {
  readonly clock?: Clock | undefined;
  readonly load: () => void;
  readonly compare: () => void;
}

/**
 * When policy files are loaded and compared.
 *
 * - *quiet*: no change has been told of since the last load. The first change begins a burst.
 * - *burst*: each change puts the load off, until the quiet time behind it has passed or the burst is as long as it may be. The
 *   load begins, and it is quiet again.
 *
 * Comparisons go on beside that from `startComparing` on. After `close` there is neither.
 */
export class LoadTiming {
  readonly #options: LoadTimingOptions;
  readonly #clock: Clock;
  #burstBeganMs: number | undefined;
  #load: NodeJS.Timeout | undefined;
  #compare: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: LoadTimingOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  noteChange(): void {
    if (this.#isClosed) return;
    const now = this.#clock.monotonic();
    this.#burstBeganMs ??= now;
    const { debounceMs = DEBOUNCE_MS, burstMaxMs = BURST_MAX_MS, load } = this.#options;
    const wait = Math.max(0, Math.min(debounceMs, this.#burstBeganMs + burstMaxMs - now));
    clearTimeout(this.#load);
    this.#load = setTimeout(() => {
      this.#burstBeganMs = undefined;
      load();
    }, wait);
  }

  startComparing(): void {
    if (this.#isClosed) return;
    const { rescanMs = RESCAN_MS, compare } = this.#options;
    this.#compare = setInterval(compare, rescanMs);
    this.#compare.unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#load);
    clearInterval(this.#compare);
  }
}
