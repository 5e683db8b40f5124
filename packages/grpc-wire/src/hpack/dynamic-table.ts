import type { TableEntry } from './static-table.ts';

/** Size of an entry in addition to its bytes (RFC 7541 section 4.1). */
const ENTRY_OVERHEAD_BYTES = 32;

/** The dynamic table of a decoder as a ring, newest entry first, with at most `maxBytes / 32` entries. */
export class DynamicTable {
  #ring: (TableEntry | undefined)[] = new Array<TableEntry | undefined>(8);
  #newest = 0;
  #maxBytes: number;
  count = 0;
  bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get maxBytes(): number {
    return this.#maxBytes;
  }

  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#evictTo(maxBytes);
  }

  /** Position 0 is the newest entry. */
  get(position: number): TableEntry | undefined {
    if (position >= this.count) return undefined;
    return this.#ring[(this.#newest - position) & (this.#ring.length - 1)];
  }

  /** Copies both: the name may be part of an entry that this insertion evicts (RFC 7541 section 4.4). */
  insert(name: Uint8Array, value: Uint8Array): void {
    const size = name.length + value.length + ENTRY_OVERHEAD_BYTES;
    if (size > this.#maxBytes) {
      this.#evictTo(0);
      return;
    }
    const entry = { name: Buffer.from(name), value: Buffer.from(value) };
    this.#evictTo(this.#maxBytes - size);
    if (this.count === this.#ring.length) this.#grow();
    this.#newest = (this.#newest + 1) & (this.#ring.length - 1);
    this.#ring[this.#newest] = entry;
    this.count += 1;
    this.bytes += size;
  }

  #evictTo(bytes: number): void {
    while (this.bytes > bytes) {
      const slot = (this.#newest - this.count + 1) & (this.#ring.length - 1);
      const entry = this.#ring[slot];
      if (entry === undefined) return;
      this.bytes -= entry.name.length + entry.value.length + ENTRY_OVERHEAD_BYTES;
      this.#ring[slot] = undefined;
      this.count -= 1;
    }
  }

  #grow(): void {
    const entries = Array.from({ length: this.count }, (_, n) => this.get(this.count - 1 - n));
    this.#ring = [...entries, ...new Array<TableEntry | undefined>(entries.length)];
    this.#newest = this.count - 1;
  }
}
