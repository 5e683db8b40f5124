import { foldHeaderName } from '@flotilla/policy';

/** Names of headers, and all others that some upstream takes for one of them. Asked about each name of a request. */
export class AlikeNames {
  /** Lowercase. */
  readonly names: readonly string[];
  /** Of the names: whatever is taken for one is as long, for each sign stands for one. Most headers of a request are told apart by it. */
  readonly lengths: ReadonlySet<number>;
  readonly #alike: RegExp;

  constructor(names: readonly string[]) {
    this.names = names;
    this.lengths = new Set(names.map((name) => name.length));
    const spelled = names.map((name) => foldHeaderName(name).replaceAll('_', '[^a-z0-9]'));
    this.#alike = new RegExp(`^(?!:)(?:${spelled.join('|')})$`, 'i');
  }

  /** True for each of the names, and for what some upstream takes for it; false for all that HTTP/2 spells with a colon. */
  has(name: string): boolean {
    return this.#alike.test(name);
  }
}
