import { describe, describeValues, listFirstFeatures, secondFeatures, type Siblings } from './features.ts';
import { FIRST_WEIGHTS, SECOND_WEIGHTS } from './weights.ts';

/**
 * Whether each sibling is literal, in the order of the list. The first round looks at each one beside all others; the second one compares what seems literal
 * with what seems to be values: a popular value has the same segments and methods below it as the rest.
 */
export function decideLiterals(siblings: Siblings): boolean[] {
  const described = describe(siblings);
  const scores = listFirstFeatures(siblings, described).map((row) => weigh(row, FIRST_WEIGHTS));
  const values = describeValues(siblings, described, (at) => (scores[at] ?? 0) < 0);
  return described.map((one, at) => {
    const score = scores[at] ?? 0;
    if (score < 0) return false;
    return values === undefined || weigh(secondFeatures(one, score, values), SECOND_WEIGHTS) >= 0;
  });
}

/** Log-odds. */
export function weigh(row: readonly number[], weights: readonly number[]): number {
  return row.reduce((sum, feature, at) => sum + feature * (weights[at] ?? 0), 0);
}
