/**
 * Named numbers in memory that threads share: each thread adds to its own row without waiting, and readers sum the
 * rows. A reader may miss simultaneous additions.
 */
export class SharedCells<N extends string> {
  readonly memory: SharedArrayBuffer;
  readonly #names: ReadonlyMap<N, number>;
  readonly #cells: Float64Array;
  readonly #rowLength: number;

  /** `memory`: of cells that another thread has created with the same names. */
  constructor(names: readonly N[], threads: number, memory?: SharedArrayBuffer) {
    this.#names = new Map(names.map((name, n) => [name, n]));
    // A cache line holds eight; two threads that write to the same line would slow each other down.
    this.#rowLength = Math.ceil(names.length / 8) * 8;
    this.memory = memory ?? new SharedArrayBuffer(threads * this.#rowLength * Float64Array.BYTES_PER_ELEMENT);
    this.#cells = new Float64Array(this.memory);
  }

  /** The cells that only `thread` adds to: `row[cells.at(name)] += 1`. */
  rowOf(thread: number): Float64Array {
    return this.#cells.subarray(thread * this.#rowLength, (thread + 1) * this.#rowLength);
  }

  at(name: N): number {
    const at = this.#names.get(name);
    if (at === undefined) throw new Error(`there is no cell ${name}`);
    return at;
  }

  sum(name: N): number {
    let sum = 0;
    for (let at = this.at(name); at < this.#cells.length; at += this.#rowLength) sum += this.#cells[at] ?? 0;
    return sum;
  }
}
