import { scoreByTrees } from './boosted-trees.ts';
import { listFeatures } from './features.ts';
import { type Described, describe, type Siblings } from './siblings.ts';
import { isLikeTyped } from './style-features.ts';
import { TREES, WEIGHTS } from './weights.ts';

/** Whether each sibling is literal, in the order of the list. Each one is looked at beside all others. */
export function decideLiterals(siblings: Siblings): boolean[] {
  const described = describe(siblings);
  if (isTooEarly(siblings, described)) return described.map(() => true);
  const areLiteral = listFeatures(siblings, described).map((row, at) => {
    const one = described[at];
    const isCode = one !== undefined && isLikeTyped(siblings, one);
    return !isCode && weigh(row, WEIGHTS) + scoreByTrees(row, TREES) >= 0;
  });
  // One word alone is no parameter: a new operation would have no name of its own.
  const isAlone = siblings.typed === undefined && areLiteral.filter((isLiteral) => !isLiteral).length === 1;
  return isAlone ? areLiteral.map(() => true) : areLiteral;
}

const SIBLINGS_MIN = 3;
const REQUESTS_MIN = 20;
const KNOWN_SHARE_MIN = 0.7;

/** The first requests of a host look like values: everything was seen once. Words of API vocabulary are literal until there are more. */
function isTooEarly({ typed }: Siblings, described: readonly Described[]): boolean {
  if (typed !== undefined) return false;
  if (described.length < SIBLINGS_MIN) return true;
  const total = described.reduce((sum, { place }) => sum + place.total, 0);
  return (
    total < REQUESTS_MIN && described.reduce((sum, { known }) => sum + known, 0) >= described.length * KNOWN_SHARE_MIN
  );
}

/** Log-odds. */
export function weigh(row: readonly number[], weights: readonly number[]): number {
  return row.reduce((sum, feature, at) => sum + feature * (weights[at] ?? 0), 0);
}
