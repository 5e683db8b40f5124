import type { EventPage, StoredEvent } from '@flotilla/event-store';
import type { Window } from './window.ts';

/** Batches arrive late, so each look goes back this far. Requests that arrive later are not on a stream. */
const LATE_MS = 5000;
/** A stream resumes at most here; what is older is skipped. */
const RESUME_MAX_MS = 10 * 60_000;
const EVENT_ID = /^\d{1,15}\.[0-9a-f]{24}$/;

export interface TailPart {
  /** Oldest first. */
  readonly events: readonly StoredEvent[];
  /** The page did not reach the beginning of the window: what was sent of this rest, the reader has; it does not get the others. */
  readonly rest: (Window & { readonly sentRequests: number }) | null;
}

/**
 * Where a live tail is: what was sent within the time in which events may still arrive late. Events of hosts whose clock is ahead appear
 * when their time has come.
 */
export class TailPosition {
  readonly isResumed: boolean;
  readonly #sent = new Map<string, { readonly timeMs: number; readonly weight: number }>();
  #floorMs: number;
  #newestMs: number;
  #from: number;

  constructor(lastId: string | undefined, nowMs: number) {
    const lastMs = lastId !== undefined && EVENT_ID.test(lastId) ? Number.parseInt(lastId, 10) : Number.NaN;
    this.isResumed = lastMs <= nowMs;
    this.#newestMs = this.isResumed ? Math.max(lastMs, nowMs - RESUME_MAX_MS) : nowMs;
    this.#floorMs = this.isResumed ? this.#newestMs - LATE_MS : nowMs;
    this.#from = this.#floorMs;
    if (lastId !== undefined && this.isResumed) this.#sent.set(lastId, { timeMs: lastMs, weight: 0 });
  }

  /** The window of the next look. */
  window(nowMs: number): Window {
    this.#from = Math.max(0, this.#floorMs, this.#newestMs - LATE_MS);
    return { from: this.#from, to: Math.max(nowMs, this.#from) + 1 };
  }

  /** Takes what is new of the newest events in the window. */
  take({ events, nextCursor }: EventPage): TailPart {
    const fresh = events.filter((event) => !this.#sent.has(keyOf(event))).toReversed();
    const oldest = events.at(-1);
    const rest =
      nextCursor === null || oldest === undefined
        ? null
        : { from: this.#from, to: oldest.timeMs, sentRequests: this.#countSent(oldest.timeMs) };
    if (rest !== null) this.#floorMs = rest.to;
    for (const event of fresh) {
      this.#sent.set(keyOf(event), event);
      this.#newestMs = Math.max(this.#newestMs, event.timeMs);
    }
    this.#forget();
    return { events: fresh, rest: rest !== null && rest.to > rest.from ? rest : null };
  }

  #countSent(toMs: number): number {
    let requests = 0;
    for (const { timeMs, weight } of this.#sent.values()) if (timeMs >= this.#from && timeMs < toMs) requests += weight;
    return requests;
  }

  #forget(): void {
    const keptMs = Math.max(this.#floorMs, this.#newestMs - LATE_MS);
    for (const [id, { timeMs }] of this.#sent) if (timeMs < keptMs) this.#sent.delete(id);
  }
}

const keyOf = ({ timeMs, id }: StoredEvent) => `${timeMs}.${id}`;
