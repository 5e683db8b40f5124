import { foldHeaderName } from '@flotilla/policy';

/** A set of header names, and all others that some upstream treats as one of them. Queried for each header of a request. */
export class AlikeNames {
  /** Lowercase. */
  readonly names: readonly string[];
  /**
   * Lengths of the names. Alternatives have the same length, because each sign stands for one. This check rules out
   * most headers.
   */
  readonly lengths: ReadonlySet<number>;
  /** As given, and folded (`foldHeaderName`). */
  readonly #spelled: ReadonlySet<string>;

  constructor(names: readonly string[]) {
    this.names = names;
    this.lengths = new Set(names.map((name) => name.length));
    this.#spelled = new Set([...names, ...names.map(foldHeaderName)]);
  }

  /** True for each of the names and their alternatives; false for every HTTP/2 pseudo-header. */
  has(name: string): boolean {
    if (this.#spelled.has(name)) return true;
    return !name.startsWith(':') && this.#spelled.has(foldHeaderName(name));
  }
}
