/** Rows while the user reads further down: newer ones wait, so that nothing moves. */
export interface HeldRows<T> {
  readonly rows: readonly T[];
  /** Number of newer rows that wait. */
  readonly waiting: number;
}

/** `anchor`: ID of the first row when the user began to scroll; undefined shows all. */
export function holdBack<T extends { readonly id: string }>(
  rows: readonly T[],
  anchor: string | undefined,
): HeldRows<T> {
  const index = anchor === undefined ? 0 : rows.findIndex(({ id }) => id === anchor);
  // Different filters give a different list.
  if (index <= 0) return { rows, waiting: 0 };
  return { rows: rows.slice(index), waiting: index };
}
