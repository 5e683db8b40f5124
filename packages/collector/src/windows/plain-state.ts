/** A state was not written by `StateWriter`, or it was damaged since. */
export class DamagedStateError extends Error {}

export type PlainState = readonly (string | number)[];

/** Writes a state as a list of texts and numbers. */
export class StateWriter {
  readonly #nowMs: number;
  readonly #values: (string | number)[] = [];

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  get values(): PlainState {
    return this.#values;
  }

  text(value: string): void {
    this.#values.push(value);
  }

  number(value: number): void {
    this.#values.push(value);
  }

  /** As its age: most ages are short numbers. */
  time(timeMs: number): void {
    this.#values.push(Math.max(0, Math.round(this.#nowMs - timeMs)));
  }
}

/** When a state was written and when it is read. */
export interface StateAge {
  readonly writtenMs: number;
  readonly nowMs: number;
}

const TEXT_MAX = 512;

/** Reads what `StateWriter` has written, in the same order. Throws DamagedStateError for anything else. */
export class StateReader {
  readonly #values: readonly unknown[];
  readonly #age: StateAge;
  #at = 0;

  constructor(values: unknown, age: StateAge) {
    if (!Array.isArray(values)) throw new DamagedStateError('a state is not a list');
    this.#values = values;
    this.#age = age;
  }

  get left(): number {
    return this.#values.length - this.#at;
  }

  text(): string {
    const value = this.#next();
    if (typeof value !== 'string' || value.length > TEXT_MAX) throw new DamagedStateError('a text is missing');
    return value;
  }

  number(): number {
    const value = this.#next();
    if (typeof value !== 'number' || !Number.isFinite(value)) throw new DamagedStateError('a number is missing');
    return value;
  }

  /** A number from zero. */
  amount(): number {
    const value = this.number();
    if (value < 0) throw new DamagedStateError('a number is negative');
    return value;
  }

  /** How many of something follow. There cannot be more than there are values. */
  length(): number {
    const value = this.amount();
    if (!Number.isInteger(value) || value > this.left) throw new DamagedStateError('a length is wrong');
    return value;
  }

  /** Never later than now: the clock may have jumped back since. */
  time(): number {
    return Math.min(this.#age.writtenMs - this.amount(), this.#age.nowMs);
  }

  #next(): unknown {
    const value = this.#values[this.#at];
    this.#at += 1;
    return value;
  }
}
