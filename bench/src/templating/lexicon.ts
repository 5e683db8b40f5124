import { type Lexicon, splitWords } from '@flotilla/inventory/fitting';
import type { Api, Operation } from './corpus.ts';

const PROVIDERS_MIN = 2;
const FOLLOWED_MIN = 4;

/** In which providers' documents words occur. */
export interface WordCounts {
  readonly words: ReadonlyMap<string, ReadonlySet<string>>;
  /** By the last word of the segment before. */
  readonly literalAfter: ReadonlyMap<string, ReadonlySet<string>>;
  readonly parameterAfter: ReadonlyMap<string, ReadonlySet<string>>;
}

export function countWords(apis: readonly Api[]): WordCounts {
  const counts = {
    words: new Map<string, Set<string>>(),
    literalAfter: new Map<string, Set<string>>(),
    parameterAfter: new Map<string, Set<string>>(),
  };
  for (const { operations, provider } of apis) {
    for (const { segments } of operations) {
      for (const pieces of segments)
        for (const piece of pieces)
          if (typeof piece === 'string')
            for (const word of splitWords(piece)) if (word.length > 1) note(counts.words, word, provider);
      for (const [before, isLiteral] of listPairs(segments))
        note(isLiteral ? counts.literalAfter : counts.parameterAfter, before, provider);
    }
  }
  return counts;
}

/** The last word of each literal segment, and whether a literal segment follows. */
function listPairs(segments: Operation['segments']): [string, boolean][] {
  return segments.slice(1).flatMap((pieces, at): [string, boolean][] => {
    const before = literalOf(segments[at]);
    const word = before === undefined ? undefined : splitWords(before).at(-1);
    return word === undefined ? [] : [[word, literalOf(pieces) !== undefined]];
  });
}

function literalOf(pieces: Operation['segments'][number] | undefined): string | undefined {
  return pieces?.length === 1 && typeof pieces[0] === 'string' ? pieces[0] : undefined;
}

function note(counts: Map<string, Set<string>>, word: string, provider: string): void {
  counts.set(word, (counts.get(word) ?? new Set()).add(provider));
}

/** The words of all providers that count. */
export function toLexicon(counts: WordCounts, doesCount: (provider: string) => boolean): Lexicon {
  const size = (providers: ReadonlySet<string> | undefined): number => [...(providers ?? [])].filter(doesCount).length;
  const vocabulary = new Set<string>();
  for (const [word, providers] of counts.words) if (size(providers) >= PROVIDERS_MIN) vocabulary.add(word);
  for (const word of vocabulary) if (word.endsWith('s') && vocabulary.has(word.slice(0, -1))) vocabulary.delete(word);
  const parameterOdds = new Map<string, number>();
  for (const word of new Set([...counts.literalAfter.keys(), ...counts.parameterAfter.keys()])) {
    const literals = size(counts.literalAfter.get(word));
    const parameters = size(counts.parameterAfter.get(word));
    if (literals + parameters >= FOLLOWED_MIN)
      parameterOdds.set(word, Number(Math.log((parameters + 1) / (literals + 1)).toFixed(1)));
  }
  return { vocabulary, parameterOdds };
}
