import {
  type Described,
  describe,
  describeValues,
  listFirstFeatures,
  type Siblings,
  secondFeatures,
} from './features.ts';
import { FIRST_WEIGHTS, SECOND_WEIGHTS } from './weights.ts';

/**
 * Whether each sibling is literal, in the order of the list. The first round looks at each one beside all others; the second one compares what seems literal
 * with what seems to be values: a popular value has the same segments and methods below it as the rest.
 */
export function decideLiterals(siblings: Siblings): boolean[] {
  const described = describe(siblings);
  if (isTooEarly(siblings, described)) return described.map(() => true);
  const scores = listFirstFeatures(siblings, described).map((row) => weigh(row, FIRST_WEIGHTS));
  const values = describeValues(siblings, described, (at) => (scores[at] ?? 0) < 0);
  return described.map((one, at) => {
    const score = scores[at] ?? 0;
    if (score < 0) return false;
    return values === undefined || weigh(secondFeatures(one, score, values), SECOND_WEIGHTS) >= 0;
  });
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
