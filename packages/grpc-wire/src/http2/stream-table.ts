const SLOTS = 1024;

/**
 * Streams by id. Ids grow by two and most streams are short, so a stream has the slot of its number, without hashing. A
 * stream that outlives the next thousand moves from its slot to a map.
 */
export class StreamTable<S extends { readonly id: number }> {
  readonly #slots: (S | undefined)[] = new Array<S | undefined>(SLOTS).fill(undefined);
  readonly #old = new Map<number, S>();
  size = 0;

  get(id: number): S | undefined {
    const stream = this.#slots[(id >>> 1) & (SLOTS - 1)];
    if (stream !== undefined && stream.id === id) return stream;
    return this.#old.size === 0 ? undefined : this.#old.get(id);
  }

  /** `stream` must be newer than all others. */
  add(stream: S): void {
    const slot = (stream.id >>> 1) & (SLOTS - 1);
    const previous = this.#slots[slot];
    if (previous !== undefined) this.#old.set(previous.id, previous);
    this.#slots[slot] = stream;
    this.size += 1;
  }

  delete(stream: S): void {
    const slot = (stream.id >>> 1) & (SLOTS - 1);
    if (this.#slots[slot] === stream) this.#slots[slot] = undefined;
    else if (!this.#old.delete(stream.id)) return;
    this.size -= 1;
  }

  /** Returns a copy, because the caller may delete streams. */
  list(): S[] {
    return [...this.#old.values(), ...this.#slots.filter((stream) => stream !== undefined)];
  }
}

/** A ring of the most recent ids with some event. */
export class RecentIds {
  readonly #ids: Int32Array;
  #next = 0;
  #forgottenUpTo = 0;

  /** `size` is a power of two. */
  constructor(size: number) {
    this.#ids = new Int32Array(size);
  }

  add(id: number): void {
    this.#forgottenUpTo = Math.max(this.#forgottenUpTo, this.#ids[this.#next] as number);
    this.#ids[this.#next] = id;
    this.#next = (this.#next + 1) & (this.#ids.length - 1);
  }

  has(id: number): boolean {
    return this.#ids.includes(id);
  }

  /** Whether `id` may be one of those that newer ids have evicted. */
  mayHaveForgotten(id: number): boolean {
    return id <= this.#forgottenUpTo;
  }
}
