import { type Decoding, decodeOnce } from './path-escapes.ts';

/** The serving program decodes, as may two programs in front of it. */
const ROUNDS_MAX = 3;

/** The results of repeated decoding of a path. */
export class Rounds {
  /** The path, and the result of each round of standard decoding, while there is something to decode. */
  readonly #strict: readonly string[];
  #hasMore: boolean;

  constructor(path: string) {
    const texts = [path];
    let last = path;
    for (
      let next = decodeOnce(path, 'strict');
      next !== last && texts.length <= ROUNDS_MAX;
      next = decodeOnce(next, 'strict')
    ) {
      texts.push(next);
      last = next;
    }
    this.#strict = texts;
    this.#hasMore = decodeOnce(last, 'strict') !== last;
  }

  /** True if one more round would change the text. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /** True if the path, or the result of some round, matches. */
  hold(pattern: RegExp): boolean {
    return this.#strict.some((text) => pattern.test(text));
  }

  /** The result of each round, and what is left if a program cuts at a decoded `?` or `#`. */
  list(decoding: Decoding): Set<string> {
    const texts = new Set<string>();
    let round = [this.#strict[0] as string];
    for (let n = 0; n < ROUNDS_MAX && round.length > 0; n++) {
      const decoded = round
        .map((text) => decodeOnce(text, decoding))
        .filter((text, at) => n === 0 || text !== round[at]);
      round = decoded.flatMap((text) => [text, ...cutQuery(text)]);
      for (const text of round) texts.add(text);
    }
    this.#hasMore ||= round.some((text) => decodeOnce(text, decoding) !== text);
    return texts;
  }
}

/** A program that decodes and forwards the text may create a query. */
function cutQuery(text: string): string[] {
  const end = text.search(/[?#]/);
  return end === -1 ? [] : [text.slice(0, end)];
}
