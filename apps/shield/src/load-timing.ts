import { type Clock, systemClock } from '@flotilla/kit';

export interface LoadTimes {
  /** Quiet period after the last change before a bundle takes effect, in ms. It is read in the meantime. */
  readonly debounceMs?: number | undefined;
  /** Maximum length of a burst of changes before it is loaded anyway, in ms. */
  readonly burstMaxMs?: number | undefined;
  /** Interval of file comparisons without notifications, in ms. */
  readonly rescanMs?: number | undefined;
}

const DEBOUNCE_MS = 50;
const BURST_MAX_MS = 1000;
const RESCAN_MS = 2000;

/** The actions, and the clock for bursts. The calls are not awaited and must not throw. */
export interface LoadTimingOptions extends LoadTimes {
  readonly clock?: Clock | undefined;
  readonly load: () => void;
  readonly compare: () => void;
}

/**
 * Decides when policy files are loaded and compared.
 *
 * - *quiet*: no change since the last load. The first change begins a burst.
 * - *burst*: each change delays the load, until the quiet period has passed or the burst has its maximum length. Then
 *   the load begins, and the state is quiet again.
 *
 * Comparisons run independently from `startComparing` on. `close` stops both.
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
