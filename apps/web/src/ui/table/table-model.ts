import { useMediaQuery } from '@mantine/hooks';
import {
  type ColumnDef,
  columnVisibilityFeature,
  type RowSelectionState,
  rowSelectionFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useMemo, useState } from 'react';
import type { ApiList } from '../../api/index.ts';
import { type Column, toTrack } from './columns.ts';
import { useTableLook } from './table-state.ts';

const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature });
const VIRTUAL_FROM_ROWS = 200;
const ROW_PX = 40;
const DENSE_ROW_PX = 30;
const NARROW = '(max-width: 640px)';
const SELECT_PX = 36;
/** Rows before the end at which the next page is loaded. */
const LOAD_AHEAD_ROWS = 100;

interface TableModelProps<T> {
  readonly name: string;
  readonly list: ApiList<T>;
  readonly columns: readonly Column<T>[];
  readonly rowId: (row: T) => string;
  readonly isSelectable: boolean;
}

/** Rows, visible columns and selection of a table. */
export function useTableModel<T extends object>({ name, list, columns, rowId, isSelectable }: TableModelProps<T>) {
  const look = useTableLook(name, columns);
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const [rowSelection, setRowSelection] = useState<RowSelectionState>({});
  const defs = useMemo(
    () =>
      columns.map((column) => ({ id: column.id, header: column.header, meta: column })) as unknown as ColumnDef<
        typeof features,
        T
      >[],
    [columns],
  );
  const columnVisibility = Object.fromEntries(
    columns.map(({ id, isNarrow: onPhone }) => [id, isNarrow ? Boolean(onPhone) : !look.hidden[id]]),
  );
  const table = useTable({
    features,
    columns: defs,
    data: list.rows as T[],
    getRowId: rowId,
    state: { columnVisibility, rowSelection },
    onRowSelectionChange: setRowSelection,
  });
  const { rows } = table.getRowModel();
  const shown = columns.filter(({ id }) => columnVisibility[id]);
  const tracks = shown.map((column) => toTrack(column, isNarrow));
  return {
    table,
    rows,
    shown,
    look,
    selected: rows.filter((row) => row.getIsSelected()).map((row) => row.original),
    clearSelection: () => setRowSelection({}),
    rowPx: look.isDense ? DENSE_ROW_PX : ROW_PX,
    template: [...(isSelectable ? [`${SELECT_PX}px`] : []), ...tracks].join(' '),
  };
}

export type TableModel<T extends object> = ReturnType<typeof useTableModel<T>>;

/** Renders only the rows in view if there are many, and loads the next page near the end. */
export function useVirtualRows<T extends object>(
  { rows, rowPx }: TableModel<T>,
  list: ApiList<T>,
  frame: RefObject<HTMLDivElement | null>,
) {
  const isVirtual = rows.length > VIRTUAL_FROM_ROWS || list.query.hasNextPage;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowPx,
    overscan: 12,
  });
  // The density changes the heights.
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again because rowPx has changed
  useEffect(() => virtualizer.measure(), [rowPx]);
  const items = virtualizer.getVirtualItems();
  const lastShown = isVirtual ? (items.at(-1)?.index ?? 0) : rows.length - 1;
  const isNearEnd = rows.length > 0 && lastShown >= rows.length - LOAD_AHEAD_ROWS;
  useEffect(() => {
    if (isNearEnd) list.loadMore();
  });
  return {
    isVirtual,
    items,
    totalPx: virtualizer.getTotalSize(),
    reveal: (index: number) => {
      if (isVirtual) virtualizer.scrollToIndex(index);
    },
  };
}
