/** Rows while somebody reads further down: newer ones wait, so that nothing moves under the eyes. */
export interface HeldRows<T> {
  readonly rows: readonly T[];
  /** How many newer ones wait. */
  readonly waiting: number;
}

/** `anchor`: id of the row that was first when the reading began; undefined shows all. */
export function holdBack<T extends { readonly id: string }>(
  rows: readonly T[],
  anchor: string | undefined,
): HeldRows<T> {
  const index = anchor === undefined ? 0 : rows.findIndex(({ id }) => id === anchor);
  // Other filters, another list.
  if (index <= 0) return { rows, waiting: 0 };
  return { rows: rows.slice(index), waiting: index };
}
