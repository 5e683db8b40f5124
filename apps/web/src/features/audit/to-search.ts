export type Query = Readonly<Record<string, unknown>>;

/** `?a=1&b=x&b=y`: the query of the list, for a link. */
export function toSearch(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of [value].flat()) search.append(name, String(one));
  }
  const text = search.toString();
  return text && `?${text}`;
}
