/** A complete binary tree: the children of the node `n` are `2n + 1` and `2n + 2`, and the leaves come last. */
export interface BoostedTree {
  /** The feature that each inner node looks at. */
  readonly features: readonly number[];
  /** A row goes to the second child if its feature is greater. */
  readonly limits: readonly number[];
  /** Log-odds. */
  readonly leaves: readonly number[];
}

/** Adds up the leaves to which a row of features leads. */
export function scoreByTrees(row: readonly number[], trees: readonly BoostedTree[]): number {
  let score = 0;
  for (const { features, limits, leaves } of trees) {
    let node = 0;
    while (node < features.length) {
      const value = row[features[node] ?? 0] ?? 0;
      node = 2 * node + (value > (limits[node] ?? 0) ? 2 : 1);
    }
    score += leaves[node - features.length] ?? 0;
  }
  return score;
}

/** Reads one tree of each line: nodes as `feature:limit`, then leaves. */
export function parseTrees(table: string): readonly BoostedTree[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const items = line.split(' ');
      const nodes = items.filter((item) => item.includes(':')).map((item) => item.split(':').map(Number));
      return {
        features: nodes.map(([feature]) => feature ?? 0),
        limits: nodes.map(([, limit]) => limit ?? 0),
        leaves: items.filter((item) => !item.includes(':')).map(Number),
      };
    });
}
