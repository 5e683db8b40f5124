/** Batches of one service that the controller has not stored. */
export interface Backlog {
  readonly batches: number;
  readonly bytes: number;
  /** When the oldest of them was written, in milliseconds since 1970; 0: none waits. */
  readonly oldestMs: number;
}

/** The batches of one segment that are not stored, in their order: the times at which they were written. */
export class WaitingBatches {
  readonly #writtenMs = new Map<bigint, number>();

  get size(): number {
    return this.#writtenMs.size;
  }

  get oldestMs(): number {
    return this.#writtenMs.values().next().value ?? 0;
  }

  add(sequence: bigint, atMs: number): void {
    this.#writtenMs.set(sequence, atMs);
  }

  /** Batches that an earlier agent wrote. */
  addRange({ from, to }: { readonly from: bigint; readonly to: bigint }, atMs: number): void {
    for (let sequence = from; sequence <= to; sequence += 1n) this.add(sequence, atMs);
  }

  remove(sequence: bigint): void {
    this.#writtenMs.delete(sequence);
  }

  /** The others cannot be read. */
  keepOnly(sequences: ReadonlySet<bigint>): void {
    for (const sequence of this.#writtenMs.keys()) if (!sequences.has(sequence)) this.#writtenMs.delete(sequence);
  }
}
