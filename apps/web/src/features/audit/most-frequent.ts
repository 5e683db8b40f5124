const SHOWN = 5;

interface Counted {
  readonly name: string;
  readonly count: number;
  /** What the counts have it under; a filter by all of them leaves what is counted here. */
  readonly values: readonly string[];
}

/** The largest of the counts. Those of one name, as agents have by their name and by their id, are one. */
export function mostFrequent(
  counts: Readonly<Record<string, number>>,
  nameOf: (value: string) => string = (value) => value,
): readonly Counted[] {
  return [...Map.groupBy(Object.entries(counts), ([value]) => nameOf(value))]
    .map(([name, of]) => ({
      name,
      count: of.reduce((sum, [, count]) => sum + count, 0),
      values: of.map(([value]) => value),
    }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, SHOWN);
}
