interface Row {
  readonly id: string;
  /** RFC 3339. */
  readonly time: string;
}

/** Requests that a page keeps while it follows. */
export const LIVE_ROWS_MAX = 1000;

/** Adds rows by their time, the newest first: requests arrive late. The stream may send a row a second time. */
export function addLive<T extends Row>(rows: readonly T[], added: readonly T[]): readonly T[] {
  const known = new Set(rows.map(({ id }) => id));
  const fresh = added.filter(({ id }) => !known.has(id) && known.add(id));
  return [...fresh.toReversed(), ...rows].toSorted(byTime).slice(0, LIVE_ROWS_MAX);
}

/** The followed rows before those that were loaded. */
export function joinLive<T extends Row>(live: readonly T[], loaded: readonly T[]): readonly T[] {
  if (live.length === 0) return loaded;
  const known = new Set(live.map(({ id }) => id));
  return [...live, ...loaded.filter(({ id }) => !known.has(id))];
}

/** The sort is stable: rows of one moment keep their order. */
function byTime(a: Row, b: Row): number {
  return b.time.localeCompare(a.time);
}
