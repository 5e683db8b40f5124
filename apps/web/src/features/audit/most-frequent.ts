const SHOWN = 5;

interface Counted {
  readonly name: string;
  readonly count: number;
  /** Keys that were counted together. A filter by all of them returns the counted entries. */
  readonly values: readonly string[];
}

/** Returns the largest counts. Merges keys with the same name: agents occur by name and by ID. */
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
