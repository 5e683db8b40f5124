import type { RecordedRequest } from './recorded-request.ts';

interface Held {
  readonly record: RecordedRequest;
  readonly timeMs: number;
  readonly arrival: number;
  readonly size: number;
}

/** A proxy logs a request when it ends, so records are slightly out of order. This many are held back for sorting. */
const HELD_MAX = 8192;
const HELD_MAX_CHARS = 32 * 1024 * 1024;

/** Sorts records by time within a window. A record without a time keeps its position. */
export class RecordOrder {
  /** A binary heap; the earliest is first. */
  readonly #heap: Held[] = [];
  #chars = 0;
  #arrivals = 0;
  #latestMs = 0;

  /** Adds a record and returns those that have waited long enough. */
  *push(record: RecordedRequest): Generator<RecordedRequest, void> {
    const timeMs = record.timeMs ?? this.#latestMs;
    this.#latestMs = Math.max(this.#latestMs, timeMs);
    const { url, body = '', body_base64 = '' } = record.request;
    const size = 256 + url.length + body.length + body_base64.length;
    this.#insert({ record, timeMs, arrival: this.#arrivals++, size });
    while (this.#heap.length > HELD_MAX || (this.#chars > HELD_MAX_CHARS && this.#heap.length > 1)) yield* this.#pop();
  }

  *end(): Generator<RecordedRequest, void> {
    while (this.#heap.length > 0) yield* this.#pop();
  }

  #insert(held: Held): void {
    this.#chars += held.size;
    let hole = this.#heap.length;
    this.#heap.push(held);
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = this.#heap[parent];
      if (above === undefined || !isBefore(held, above)) break;
      this.#heap[hole] = above;
      hole = parent;
    }
    this.#heap[hole] = held;
  }

  *#pop(): Generator<RecordedRequest, void> {
    const [top] = this.#heap;
    const last = this.#heap.pop();
    if (top === undefined || last === undefined) return;
    this.#chars -= top.size;
    if (this.#heap.length > 0) this.#sink(last);
    yield top.record;
  }

  #sink(held: Held): void {
    let hole = 0;
    for (;;) {
      const left = 2 * hole + 1;
      let child = this.#heap[left];
      if (child === undefined) break;
      let at = left;
      const right = this.#heap[left + 1];
      if (right !== undefined && isBefore(right, child)) {
        child = right;
        at = left + 1;
      }
      if (!isBefore(child, held)) break;
      this.#heap[hole] = child;
      hole = at;
    }
    this.#heap[hole] = held;
  }
}

function isBefore(a: Held, b: Held): boolean {
  return a.timeMs < b.timeMs || (a.timeMs === b.timeMs && a.arrival < b.arrival);
}
