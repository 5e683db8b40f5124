interface Entry {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** Runs what was scheduled in the order of time, and of scheduling for equal times. A binary heap. */
export class EventQueue {
  readonly #heap: Entry[] = [];
  #order = 0;
  now = 0;

  schedule(at: number, run: () => void): void {
    this.#order += 1;
    const entry = { at: Math.max(at, this.now), order: this.#order, run };
    const heap = this.#heap;
    let i = heap.length;
    heap.push(entry);
    while (i > 0) {
      const above = (i - 1) >> 1;
      const other = heap[above];
      if (!other || !isBefore(entry, other)) break;
      heap[i] = other;
      i = above;
    }
    heap[i] = entry;
  }

  /** Runs everything up to `until`. */
  runUntil(until: number): void {
    for (let next = this.#heap[0]; next && next.at <= until; next = this.#heap[0]) {
      this.#removeFirst();
      this.now = next.at;
      next.run();
    }
    this.now = until;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let i = 0;
    for (;;) {
      const left = 2 * i + 1;
      const [a, b] = [heap[left], heap[left + 1]];
      if (!a) break;
      const isRight = b !== undefined && isBefore(b, a);
      const child = isRight ? b : a;
      if (!isBefore(child, last)) break;
      heap[i] = child;
      i = isRight ? left + 1 : left;
    }
    heap[i] = last;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
