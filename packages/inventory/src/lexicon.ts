import { PARAMETER_ODDS } from './parameter-odds.ts';
import { VOCABULARY } from './vocabulary.ts';

/** Knowledge of words, counted in documents of real APIs. */
export interface Lexicon {
  /** Words of literal segments. */
  readonly vocabulary: ReadonlySet<string>;
  /** The log-odds that a parameter follows a word. */
  readonly parameterOdds: ReadonlyMap<string, number>;
}

let current: Lexicon = { vocabulary: VOCABULARY, parameterOdds: PARAMETER_ODDS };

export function lexicon(): Lexicon {
  return current;
}

/** Only the program that fits the weights replaces the words: it describes each API by the words of others. */
export function replaceLexicon(other: Lexicon): void {
  current = other;
}
