type Query = Readonly<Record<string, unknown>>;

/** Returns the query of the API: these parameters have one value there, and the URL may have several. */
export function keepOne(query: Query, single: ReadonlySet<string>): Query {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      single.has(name) && Array.isArray(value) ? value.at(-1) : value,
    ]),
  );
}
