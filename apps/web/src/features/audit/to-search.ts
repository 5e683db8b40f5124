export type Query = Readonly<Record<string, unknown>>;

/** Converts the query of the list to that of a link: `?a=1&b=x&b=y`. */
export function toSearch(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of [value].flat()) search.append(name, String(one));
  }
  const text = search.toString();
  return text && `?${text}`;
}
