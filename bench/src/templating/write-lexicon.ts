import type { BoostedTree, Lexicon } from '@flotilla/inventory/fitting';

const LINE_CHARACTERS_MAX = 150;
const FITTED = 'Written by `node bench/src/templating-fit.ts`';

export function writeVocabulary({ vocabulary }: Lexicon): string {
  return `/**
 * Words of the literal segments of real API documents. Each occurs in two or more providers of the tuning half of the corpus (README.md); none is from the half
 * that the published figures measure. ${FITTED}.
 */
export const VOCABULARY: ReadonlySet<string> = new Set(
  \`
${wrap([...vocabulary].sort())}
\`
    .trim()
    .split(/\\s+/),
);
`;
}

export function writeOdds({ parameterOdds }: Lexicon): string {
  const items = [...parameterOdds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([word, odds]) => `${word}:${odds}`);
  return `/** The log-odds that a parameter follows a segment that ends with a word, in the tuning half of the corpus (README.md). ${FITTED}. */
export const PARAMETER_ODDS: ReadonlyMap<string, number> = new Map(
  \`
${wrap(items)}
\`
    .trim()
    .split(/\\s+/)
    .map((item) => {
      const [word = '', odds] = item.split(':');
      return [word, Number(odds)];
    }),
);
`;
}

export function writeWeights(weights: readonly number[], trees: readonly BoostedTree[]): string {
  const lines = trees.map(({ features, limits, leaves }) =>
    [...features.map((feature, at) => `${feature}:${limits[at]}`), ...leaves].join(' '),
  );
  return `import { parseTrees } from './boosted-trees.ts';

/** One for each feature, in its order (features.ts). ${FITTED}. */
export const WEIGHTS: readonly number[] = \`
${wrap(weights.map(String))}
\`
  .trim()
  .split(/\\s+/)
  .map(Number);

/** Corrections of the weighted sum, for features that depend on each other. */
export const TREES = parseTrees(\`
${lines.join('\n')}
\`);
`;
}

function wrap(items: readonly string[]): string {
  const lines: string[] = [];
  let line = '';
  for (const item of items) {
    if (line.length + item.length >= LINE_CHARACTERS_MAX) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? item : ` ${item}`;
  }
  return [...lines, line].join('\n');
}
