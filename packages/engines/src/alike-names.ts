import { foldHeaderName } from '@flotilla/policy';

/** Names of headers, and all others that some upstream takes for one of them. Asked about each name of a request. */
export class AlikeNames {
  /** Lowercase. */
  readonly names: readonly string[];
  /** Of the names: whatever is taken for one is as long, for each sign stands for one. Most headers of a request are told apart by it. */
  readonly lengths: ReadonlySet<number>;
  /** As they are, and folded (`foldHeaderName`). */
  readonly #spelled: ReadonlySet<string>;

  constructor(names: readonly string[]) {
    this.names = names;
    this.lengths = new Set(names.map((name) => name.length));
    this.#spelled = new Set([...names, ...names.map(foldHeaderName)]);
  }

  /** True for each of the names, and for what some upstream takes for it; false for all that HTTP/2 spells with a colon. */
  has(name: string): boolean {
    if (this.#spelled.has(name)) return true;
    return !name.startsWith(':') && this.#spelled.has(foldHeaderName(name));
  }
}
