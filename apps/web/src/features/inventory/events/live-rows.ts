interface Identified {
  readonly id: string;
}

/** Requests that a page keeps while it follows. */
export const LIVE_ROWS_MAX = 1000;

/** Adds newer rows before the others. The stream may send a row a second time. */
export function addLive<T extends Identified>(rows: readonly T[], added: readonly T[]): readonly T[] {
  const known = new Set(rows.map(({ id }) => id));
  const fresh = added.filter(({ id }) => !known.has(id) && known.add(id));
  return [...fresh.toReversed(), ...rows].slice(0, LIVE_ROWS_MAX);
}

/** The followed rows before those that were loaded. */
export function joinLive<T extends Identified>(live: readonly T[], loaded: readonly T[]): readonly T[] {
  if (live.length === 0) return loaded;
  const known = new Set(live.map(({ id }) => id));
  return [...live, ...loaded.filter(({ id }) => !known.has(id))];
}
