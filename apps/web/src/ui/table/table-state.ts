import { useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { useMemo } from 'react';
import { useUrlState } from '../../app/url-state.ts';
import type { Column, Filter, WindowPx } from './columns.ts';

export interface TableState {
  readonly q: string;
  readonly sort: string | undefined;
  /** Selected values of each active filter. */
  readonly filters: Readonly<Record<string, readonly string[]>>;
  /** Query of the API for the current search, sorting and filters. */
  readonly query: Readonly<Record<string, unknown>>;
  setQ(q: string): void;
  setSort(sort: string | undefined): void;
  setFilter(name: string, values: readonly string[]): void;
  clear(): void;
}

/** Keeps search, sorting and filters of a list in the URL, and converts them for the API. */
export function useTableState(filters: readonly Filter[] = []): TableState {
  const url = useUrlState();
  const q = url.get('q') ?? '';
  const sort = url.get('sort');
  const set = Object.fromEntries(
    filters.map(({ name }) => [name, url.all(name)] as const).filter(([, values]) => values.length > 0),
  );
  const key = JSON.stringify([q, sort, set]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says when the contents differ
  const query = useMemo(() => ({ ...(q && { q }), ...(sort && { sort }), ...set }), [key]);
  return {
    q,
    sort,
    filters: set,
    query,
    setQ: (text) => url.set({ q: text || undefined }),
    setSort: (field) => url.set({ sort: field }, 'push'),
    setFilter: (name, values) => url.set({ [name]: values.length > 0 ? values : undefined }, 'push'),
    clear: () => url.set({ q: undefined, ...Object.fromEntries(filters.map(({ name }) => [name, undefined])) }, 'push'),
  };
}

export interface TableLook {
  readonly isDense: boolean;
  readonly hidden: Readonly<Record<string, boolean>>;
  setDense(isDense: boolean): void;
  setVisible(id: string, isVisible: boolean): void;
}

/** Returns the widest of the widths that the window has. */
function useWindowPx(): WindowPx | 0 {
  const [is1200, is1440, is1600] = [useIsFrom(1200), useIsFrom(1440), useIsFrom(1600)];
  return is1600 ? 1600 : is1440 ? 1440 : is1200 ? 1200 : 0;
}

function useIsFrom(px: WindowPx): boolean | undefined {
  return useMediaQuery(`(min-width: ${px}px)`, undefined, { getInitialValueInEffect: false });
}

/** Returns density and selected columns, stored in this browser per list. */
export function useTableLook<T>(name: string, columns: readonly Column<T>[]): TableLook {
  const [isDense, setDense] = useLocalStorage({ key: 'table-dense', defaultValue: false });
  const [choice, setChoice] = useLocalStorage<Record<string, boolean>>({
    key: `table-columns-${name}`,
    defaultValue: {},
  });
  const windowPx = useWindowPx();
  const hidden = useMemo(
    () =>
      Object.fromEntries(
        columns.map(({ id, isOptional, fromPx = 0 }) => [id, !(choice[id] ?? (!isOptional && windowPx >= fromPx))]),
      ),
    [columns, choice, windowPx],
  );
  return {
    isDense,
    hidden,
    setDense,
    setVisible: (id, isVisible) => setChoice((before) => ({ ...before, [id]: isVisible })),
  };
}
