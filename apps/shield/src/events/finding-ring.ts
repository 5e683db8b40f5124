import type { FindingEvent, FindingPage, UncountedFinding } from '@flotilla/decision';

/** Maximum number of events per page. */
export const FINDING_PAGE_MAX = 1000;

/** The newest findings of this run, numbered. Missing numbers are dropped findings. */
export class FindingRing {
  readonly epoch: string;
  readonly #events: (FindingEvent | undefined)[];
  #added = 0;
  #seq = 0;

  /** `keep` is the number of kept events; 0 keeps none. */
  constructor(epoch: string, keep: number) {
    this.epoch = epoch;
    this.#events = Array.from({ length: keep });
  }

  add(finding: UncountedFinding): FindingEvent {
    this.#seq += 1;
    const event = { seq: this.#seq, ...finding };
    if (this.#events.length > 0) this.#events[this.#added++ % this.#events.length] = event;
    return event;
  }

  /** Skips the numbers of `count` unpublished findings. */
  skip(count: number): void {
    this.#seq += count;
  }

  /** The events after number `after`, oldest first. */
  page(after: number, limit: number): FindingPage {
    const kept = this.#events.length;
    const events: FindingEvent[] = [];
    for (let at = Math.max(0, this.#added - kept); at < this.#added && events.length < limit; at++) {
      const event = this.#events[at % kept];
      if (event !== undefined && event.seq > after) events.push(event);
    }
    const last = events.length === limit ? events.at(-1) : undefined;
    const next = last?.seq ?? Math.max(this.#seq, 0);
    return { epoch: this.epoch, next, dropped: Math.max(0, next - after - events.length), events };
  }
}
