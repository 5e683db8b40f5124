import type { WireLimitName } from './counters.ts';
import type { WireLimits } from './limits.ts';

/** What is counted by the second. */
export const FLOOD = {
  unansweredResets: 0,
  pings: 1,
  settings: 2,
  emptyData: 3,
  windowUpdates: 4,
  ignoredFrames: 5,
  streamErrors: 6,
} as const;

export const FLOOD_LIMITS: readonly WireLimitName[] = [
  'unanswered_resets',
  'pings',
  'settings',
  'empty_data',
  'window_updates',
  'ignored_frames',
  'stream_errors',
];

const WINDOW_MS = 1000;

/** Frames that cost work and carry nothing, by the second of the server's ticks: no clock is read for a frame. */
export class FloodGuard {
  readonly #limits: Float64Array;
  readonly #counts = new Float64Array(FLOOD_LIMITS.length);
  #sinceMs: number;

  constructor(limits: WireLimits, nowMs: number) {
    this.#sinceMs = nowMs;
    this.#limits = Float64Array.of(
      limits.unansweredResetsPerSecond,
      limits.pingsPerSecond,
      limits.settingsPerSecond,
      limits.emptyDataPerSecond,
      limits.windowUpdatesPerSecond,
      limits.ignoredFramesPerSecond,
      limits.streamErrorsPerSecond,
    );
  }

  /** Counts one, or what does the work of `times`; whether that is too many. */
  isOver(kind: number, times = 1): boolean {
    const count = (this.#counts[kind] as number) + times;
    this.#counts[kind] = count;
    return count > (this.#limits[kind] as number);
  }

  tick(nowMs: number): void {
    if (nowMs - this.#sinceMs < WINDOW_MS) return;
    this.#sinceMs = nowMs;
    this.#counts.fill(0);
  }
}
