interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** A terminal is not the place for longer lists. */
export const ITEMS_MAX = 20_000;
export const PAGE_SIZE = 1000;

/** Reads a list page by page, up to `most` items. `size` is the number of items that may still be read. */
export async function collectPages<T>(
  read: (cursor: string | undefined, size: number) => Promise<Page<T>>,
  most: number = ITEMS_MAX,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor, Math.min(PAGE_SIZE, most - items.length));
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && items.length < most);
  return items;
}
