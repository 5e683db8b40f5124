const SHOWN = 5;

interface Counted {
  readonly name: string;
  readonly count: number;
  /** The keys of the count; filtering by all of them gives the counted entries. */
  readonly values: readonly string[];
}

/** The largest counts. Merges keys with the same name: agents occur by name and by ID. */
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
