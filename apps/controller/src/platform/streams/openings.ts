import type { Clock } from '@flotilla/kit';

/** Beyond this number of openings at a time, agents are put off. */
const AT_ONCE = 500;
/** The pace is measured over this time. */
const PACE_MS = 2000;
const PACE_MIN = 50;
const PACE_MAX = 2000;
/** An agent that was put off comes back within this time. */
const DELAY_MIN_MS = 500;
const DELAY_MAX_MS = 60_000;
const SECOND_MS = 1000;

export type Opening = { readonly kind: 'begun'; end(): void } | { readonly kind: 'put_off'; readonly retryMs: number };

/**
 * Limits the command streams that open at a time: each costs reads and writes of the database. A stream above the limit is
 * put off to its own appointment. Appointments follow each other at the pace at which streams have opened lately, so that
 * a fleet comes back as fast as the controller can take it, and not all at once.
 */
export class Openings {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #atOnce: number;
  #open = 0;
  #putOff = 0;
  #nextAt = 0;
  /** Openings that ended in the current period, and the pace of the previous one. */
  #period = { since: 0, ended: 0 };
  #pace = PACE_MIN;

  constructor({ clock, atOnce = AT_ONCE }: { clock: Pick<Clock, 'monotonic'>; atOnce?: number | undefined }) {
    this.#clock = clock;
    this.#atOnce = atOnce;
  }

  /** Openings now. */
  get count(): number {
    return this.#open;
  }

  /** How many streams were put off since the start. */
  get putOff(): number {
    return this.#putOff;
  }

  /** The caller calls `end` once, when the stream is open or has failed. */
  begin(): Opening {
    const now = this.#clock.monotonic();
    if (this.#open >= this.#atOnce) {
      this.#putOff += 1;
      return { kind: 'put_off', retryMs: this.#appoint(now) };
    }
    this.#open += 1;
    let isOpen = true;
    return {
      kind: 'begun',
      end: () => {
        if (!isOpen) return;
        isOpen = false;
        this.#open -= 1;
        this.#count(this.#clock.monotonic());
      },
    };
  }

  #appoint(now: number): number {
    this.#nextAt = Math.max(this.#nextAt, now + DELAY_MIN_MS) + SECOND_MS / this.#pace;
    const retryMs = this.#nextAt - now;
    if (retryMs <= DELAY_MAX_MS) return Math.round(retryMs);
    // Nobody has an appointment later than that, and those that have the last one are spread by the agents.
    this.#nextAt = now + DELAY_MAX_MS;
    return DELAY_MAX_MS;
  }

  #count(now: number): void {
    const elapsed = now - this.#period.since;
    if (elapsed >= PACE_MS) {
      const perSecond = (this.#period.ended * SECOND_MS) / elapsed;
      this.#pace = Math.min(PACE_MAX, Math.max(PACE_MIN, perSecond));
      this.#period = { since: now, ended: 0 };
    }
    this.#period.ended += 1;
  }
}
