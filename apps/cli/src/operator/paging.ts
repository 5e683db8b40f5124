interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** More than that is not for a terminal: narrow the search. */
export const ITEMS_MAX = 20_000;
export const PAGE_SIZE = 1000;

/** Every item of a list, or the first `most` of them, page by page. `size`: how many of the next page there is room for. */
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
