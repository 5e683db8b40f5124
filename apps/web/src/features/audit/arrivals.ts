/** Rows of a list. Newer ones wait while the user reads further down, so that nothing moves. */
export interface HeldRows<T> {
  readonly rows: readonly T[];
  /** Number of newer rows that wait. */
  readonly waiting: number;
}

/** Splits the rows. `anchor`: ID of the first row when the user began to scroll; undefined shows all. */
export function holdBack<T extends { readonly id: string }>(
  rows: readonly T[],
  anchor: string | undefined,
): HeldRows<T> {
  const index = anchor === undefined ? 0 : rows.findIndex(({ id }) => id === anchor);
  // The list has other filters than when the user began to scroll.
  if (index <= 0) return { rows, waiting: 0 };
  return { rows: rows.slice(index), waiting: index };
}
