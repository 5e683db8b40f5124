import type { StateReader, StateWriter } from './plain-state.ts';

/** Mean and deviation of a value (Welford's method). After `MEMORY` samples old ones fade, so that a change of the service becomes normal. */
export class Baseline {
  #samples = 0;
  #mean = 0;
  #squares = 0;
  #deviantInRow = 0;

  static read(from: StateReader): Baseline {
    const baseline = new Baseline();
    baseline.#samples = from.amount();
    baseline.#mean = from.number();
    baseline.#squares = from.amount();
    baseline.#deviantInRow = from.amount();
    return baseline;
  }

  write(to: StateWriter): void {
    to.number(this.#samples);
    to.number(this.#mean);
    to.number(this.#squares);
    to.number(this.#deviantInRow);
  }

  get samples(): number {
    return this.#samples;
  }

  get mean(): number {
    return this.#mean;
  }

  get deviation(): number {
    return this.#samples < 2 ? 0 : Math.sqrt(this.#squares / (this.#samples - 1));
  }

  add(value: number): void {
    if (this.#samples >= MEMORY) {
      this.#samples /= 2;
      this.#squares /= 2;
    }
    this.#samples += 1;
    const before = value - this.#mean;
    this.#mean += before / this.#samples;
    this.#squares += before * (value - this.#mean);
  }

  /** Counts deviant values in a row; a normal one ends the row. */
  noteDeviant(isDeviant: boolean): number {
    this.#deviantInRow = isDeviant ? this.#deviantInRow + 1 : 0;
    return this.#deviantInRow;
  }
}

const MEMORY = 10_000;
