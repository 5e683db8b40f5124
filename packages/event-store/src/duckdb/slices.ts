/** Rows of sums of a part for each megabyte that DuckDB may use. A row takes about half a kilobyte, several times at once. */
const ROWS_PER_MB = 100;
/** Below this, blocks of columns need more than rows do. */
const ROWS_MIN = 2_000;

/**
 * The size of the parts in which sums are moved. DuckDB spills some of its work to the disk, but not all of it, so a part has to fit
 * into the memory. When it did not, parts are halved, and grow again when the work is done: other queries use the same memory.
 */
export class Slices {
  readonly #most: number;
  #rows: number;

  constructor(memoryMb: number) {
    this.#most = Math.max(ROWS_MIN, memoryMb * ROWS_PER_MB);
    this.#rows = this.#most;
  }

  get rows(): number {
    return this.#rows;
  }

  grow(): void {
    this.#rows = Math.min(this.#most, this.#rows * 2);
  }

  /** False if the parts cannot be smaller. */
  shrink(): boolean {
    if (this.#rows <= ROWS_MIN) return false;
    this.#rows = Math.max(ROWS_MIN, Math.floor(this.#rows / 2));
    return true;
  }
}
