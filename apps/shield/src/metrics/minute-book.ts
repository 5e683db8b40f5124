import type { CounterBook, PolicyCounter } from '@flotilla/decision';
import type { Clock } from '@flotilla/kit';
import { SHIELD_MINUTE_COUNTERS_KEPT, SHIELD_MINUTES_KEPT } from '@flotilla/policy';

const MINUTE_MS = 60_000;
/** How soon a change of the system clock is noticed. */
const CHECK_MS = 1000;

/** A counter that grew in one minute, from `before` to `total`. */
export interface MinuteCounter extends PolicyCounter {
  readonly before: number;
}

export interface CountedMinute {
  /** Starts at 1, in order of the minutes: after a clock change a minute may occur twice. */
  readonly seq: number;
  /** RFC 3339; its beginning by this host's clock. */
  readonly minute: string;
  /** The minute is not over yet. */
  readonly open: boolean;
  readonly counters: readonly MinuteCounter[];
}

/**
 * Counts per minute, by the filter's own clock. The newest minutes are kept, so that an absent agent or controller
 * later gets each count in the minute of its request.
 */
export class MinuteBook {
  readonly #counters: CounterBook;
  readonly #clock: Clock;
  #closed: CountedMinute[] = [];
  #keptCounters = 0;
  /** Totals at the beginning of the open minute. */
  #base: ReadonlyMap<string, number> = new Map();
  #seq = 1;
  #minuteMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(counters: CounterBook, clock: Clock) {
    this.#counters = counters;
    this.#clock = clock;
    this.#minuteMs = toMinute(clock.now());
  }

  /** Call when the filter begins to serve: a standby filter has no counts for earlier minutes. */
  start(): void {
    this.#minuteMs = toMinute(this.#clock.now());
    this.#schedule();
  }

  /** The totals of this run, and its minutes after `seq`, including the open one as the last. */
  read(after = 0) {
    const { epoch, counters } = this.#counters.read();
    this.#closeIfOver(counters);
    const open = this.#describe(counters, true);
    return { epoch, counters, minutes: [...this.#closed.filter(({ seq }) => seq > after), open] };
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    const restMs = MINUTE_MS - (this.#clock.now() % MINUTE_MS);
    this.#timer = setTimeout(
      () => {
        if (toMinute(this.#clock.now()) !== this.#minuteMs) this.#closeIfOver(this.#counters.read().counters);
        this.#schedule();
      },
      Math.min(CHECK_MS, restMs),
    );
    this.#timer.unref();
  }

  #closeIfOver(counters: readonly PolicyCounter[]): void {
    const minuteMs = toMinute(this.#clock.now());
    if (minuteMs === this.#minuteMs) return;
    const minute = this.#describe(counters, false);
    this.#closed.push(minute);
    this.#keptCounters += minute.counters.length;
    while (this.#closed.length > SHIELD_MINUTES_KEPT || this.#keptCounters > SHIELD_MINUTE_COUNTERS_KEPT) {
      this.#keptCounters -= this.#closed.shift()?.counters.length ?? 0;
    }
    this.#base = new Map(counters.map((counter) => [keyOf(counter), counter.total]));
    this.#seq += 1;
    this.#minuteMs = minuteMs;
  }

  #describe(totals: readonly PolicyCounter[], open: boolean): CountedMinute {
    const counters = totals.flatMap((counter) => {
      const before = this.#base.get(keyOf(counter)) ?? 0;
      return counter.total > before ? [{ ...counter, before }] : [];
    });
    return { seq: this.#seq, minute: new Date(this.#minuteMs).toISOString(), open, counters };
  }
}

function toMinute(ms: number): number {
  return ms - (ms % MINUTE_MS);
}

function keyOf({ policy, engine, reason, verdict }: PolicyCounter): string {
  return `${policy}\n${engine}\n${reason}\n${verdict}`;
}
