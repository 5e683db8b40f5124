import { expect, it } from 'vitest';
import { collectPages, PAGE_SIZE } from './paging.ts';

/** Creates a list of numbers that records the requested page sizes. */
function createList(length: number) {
  const sizes: number[] = [];
  const read = async (cursor: string | undefined, size: number) => {
    sizes.push(size);
    const from = Number(cursor ?? 0);
    const items = Array.from({ length: Math.min(size, length - from) }, (_, i) => from + i);
    return { items, next_cursor: from + size < length ? String(from + size) : null };
  };
  return { read, sizes };
}

it('all pages are read', async () => {
  const { read, sizes } = createList(2 * PAGE_SIZE + 1);
  expect(await collectPages(read)).toHaveLength(2 * PAGE_SIZE + 1);
  expect(sizes).toEqual([PAGE_SIZE, PAGE_SIZE, PAGE_SIZE]);
});

it('no more items are requested than are needed', async () => {
  const { read, sizes } = createList(10_000);
  expect(await collectPages(read, PAGE_SIZE + 50)).toHaveLength(PAGE_SIZE + 50);
  expect(sizes).toEqual([PAGE_SIZE, 50]);
});
