interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** More than that is not for a terminal: narrow the search. */
const ITEMS_MAX = 20_000;
export const PAGE_SIZE = 1000;

/** Every item of a list, page by page. */
export async function collectPages<T>(read: (cursor: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && items.length < ITEMS_MAX);
  return items;
}
