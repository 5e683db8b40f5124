/**
 * Numbers by name, in memory that threads share: each thread adds to a row of its own and waits for nobody; whoever reads
 * sums the rows. A reader may miss additions of this very moment.
 */
export class SharedCells<N extends string> {
  readonly memory: SharedArrayBuffer;
  readonly #names: ReadonlyMap<N, number>;
  readonly #cells: Float64Array;
  readonly #rowLength: number;

  /** `memory`: of the cells that another thread has made with the same names. */
  constructor(names: readonly N[], threads: number, memory?: SharedArrayBuffer) {
    this.#names = new Map(names.map((name, n) => [name, n]));
    // A cache line holds eight; two threads that write to one would slow each other down.
    this.#rowLength = Math.ceil(names.length / 8) * 8;
    this.memory = memory ?? new SharedArrayBuffer(threads * this.#rowLength * Float64Array.BYTES_PER_ELEMENT);
    this.#cells = new Float64Array(this.memory);
  }

  /** The cells that `thread` alone adds to: `row[cells.at(name)] += 1`. */
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
