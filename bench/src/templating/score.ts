/** Counts of whole operations: an operation counts only if its method and every segment of its template are right. */
export interface Score {
  found: number;
  expected: number;
  listed: number;
}

export function emptyScore(): Score {
  return { found: 0, expected: 0, listed: 0 };
}

export function scoreSets(expected: ReadonlySet<string>, listed: ReadonlySet<string>): Score {
  return { found: countCommon(expected, listed), expected: expected.size, listed: listed.size };
}

export function addScore(sum: Score, score: Score): void {
  sum.found += score.found;
  sum.expected += score.expected;
  sum.listed += score.listed;
}

export interface Figures {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

export function figuresOf({ found, expected, listed }: Score): Figures {
  const precision = listed === 0 ? 1 : found / listed;
  const recall = expected === 0 ? 1 : found / expected;
  return { precision, recall, f1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

export function countCommon(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0;
  for (const item of one) if (other.has(item)) common += 1;
  return common;
}
