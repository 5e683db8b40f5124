import { Button, Skeleton } from '@mantine/core';
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
import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { ApiList } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import { Problem } from '../notice.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { lookOf } from './cell-look.ts';
import { Choice } from './choice.tsx';
import { type Column, type Filter, toTrack } from './columns.ts';
import { HeadCell } from './head-cell.tsx';
import { openRow } from './open-row.ts';
import { pressRowKey } from './row-keys.ts';
import classes from './table.module.css';
import { type TableState, useTableLook } from './table-state.ts';
import { Toolbar } from './toolbar.tsx';

const text = texts.ui.dataTable;

export interface DataTableProps<T> {
  /** Name of the list for settings, CSV and screen readers: `clients`. */
  readonly name: string;
  readonly list: ApiList<T>;
  readonly state: TableState;
  readonly columns: readonly Column<T>[];
  readonly rowId: (row: T) => string;
  readonly filters?: readonly Filter[];
  /** Searched fields: `Name, host, address`. Without it there is no search. */
  readonly searches?: string;
  /** Shown if the list is empty without filters. */
  readonly empty: ReactNode;
  /** Enables selection; gets the selected rows and a function to deselect them. */
  readonly bulk?: (rows: readonly T[], done: () => void) => ReactNode;
  /** Beside the search. */
  readonly actions?: ReactNode;
}

const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature });
const VIRTUAL_FROM_ROWS = 200;
const ROW_PX = 40;
const DENSE_ROW_PX = 30;
const NARROW = '(max-width: 640px)';
const SELECT_PX = 36;

/**
 * The list component of all screens. The API sorts, filters and searches; the URL stores the query. Rows beyond 200 are
 * virtual. The arrows move between rows and their controls (`pressRowKey`).
 */
export function DataTable<T extends object>(props: DataTableProps<T>) {
  const { name, list, state, columns, rowId, filters = [], bulk } = props;
  const look = useTableLook(name, columns);
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const [rowSelection, setRowSelection] = useState<RowSelectionState>({});
  const frame = useRef<HTMLDivElement>(null);

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
  const selected = rows.filter((row) => row.getIsSelected()).map((row) => row.original);
  const rowPx = look.isDense ? DENSE_ROW_PX : ROW_PX;
  const isVirtual = rows.length > VIRTUAL_FROM_ROWS || list.query.hasNextPage;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowPx,
    overscan: 12,
  });
  // Another density: other heights.
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured anew because rowPx has changed
  useEffect(() => virtualizer.measure(), [rowPx]);

  const virtualRows = virtualizer.getVirtualItems();
  const lastShown = isVirtual ? (virtualRows.at(-1)?.index ?? 0) : rows.length - 1;
  const isNearEnd = rows.length > 0 && lastShown >= rows.length - 100;
  useEffect(() => {
    if (isNearEnd) list.loadMore();
  });

  const { query } = list;
  const isFiltered = state.q !== '' || Object.keys(state.filters).length > 0;
  const template = [...(bulk ? [`${SELECT_PX}px`] : []), ...shown.map((column) => toTrack(column, isNarrow))].join(' ');

  if (query.isError && list.rows.length === 0)
    return (
      <>
        <Problem error={query.error} what={text.failed(name)} onRetry={() => void query.refetch()} />
        {(isFiltered || state.sort) && (
          <div>
            <Button
              variant="default"
              onClick={() => {
                state.clear();
                state.setSort(undefined);
              }}
            >
              {text.withoutFilters}
            </Button>
          </div>
        )}
      </>
    );
  if (query.isSuccess && rows.length === 0 && !isFiltered) return <>{props.empty}</>;

  const pressKey = (event: KeyboardEvent<HTMLDivElement>) =>
    pressRowKey(event, {
      frame: frame.current,
      rowCount: rows.length,
      reveal: (index) => {
        if (isVirtual) virtualizer.scrollToIndex(index);
      },
    });

  const renderRow = (index: number, style?: CSSProperties) => {
    const row = rows[index];
    if (!row) return null;
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the link's
      <div
        key={row.id}
        role="row"
        className={classes.row}
        onClick={openRow}
        style={style}
        data-index={index}
        aria-rowindex={index + 2}
        aria-selected={bulk ? row.getIsSelected() : undefined}
      >
        {bulk && (
          <div role="gridcell" className={classes.choice}>
            <Choice
              checked={row.getIsSelected()}
              onChange={row.getToggleSelectedHandler()}
              aria-label={text.selectRow(index + 1)}
            />
          </div>
        )}
        {shown.map((column) => (
          <div
            key={column.id}
            role={bulk ? 'gridcell' : 'cell'}
            className={`${classes.cell} ${lookOf(column)}`}
            data-opening={column.isOpening}
          >
            {column.cell(row.original)}
          </div>
        ))}
      </div>
    );
  };

  return (
    <>
      <Toolbar {...props} filters={filters} look={look} total={list.total} />
      {bulk && selected.length > 0 && (
        <BulkBar count={selected.length} onClear={() => setRowSelection({})}>
          {bulk(selected, () => setRowSelection({}))}
        </BulkBar>
      )}
      {query.isError && list.rows.length > 0 && (
        <Problem
          error={query.error}
          what={text.refreshFailed(name)}
          still={text.shownIsOld}
          onRetry={() => void query.refetch()}
        />
      )}
      <div
        ref={frame}
        className={classes.frame}
        onKeyDown={pressKey}
        tabIndex={0}
        role="group"
        aria-label={text.listOf(name)}
      >
        <div
          role={bulk ? 'grid' : 'table'}
          aria-label={name}
          aria-rowcount={(list.total ?? rows.length) + 1}
          aria-busy={query.isFetching}
          className={`${classes.table} ${shown[0]?.isPinned ? classes.wide : ''} ${look.isDense ? classes.dense : ''} ${isVirtual ? classes.virtual : ''}`}
          style={{ '--columns': template } as CSSProperties}
        >
          <div role="row" aria-rowindex={1} className={`${classes.row} ${classes.head}`} style={{ position: 'sticky' }}>
            {bulk && (
              <div role="columnheader" className={classes.choice}>
                <Choice
                  checked={table.getIsAllRowsSelected()}
                  indeterminate={table.getIsSomeRowsSelected()}
                  onChange={table.getToggleAllRowsSelectedHandler()}
                  aria-label={text.selectAll}
                />
              </div>
            )}
            {shown.map((column) => (
              <HeadCell key={column.id} column={column} sort={state.sort} onSort={state.setSort} />
            ))}
          </div>
          <div
            role="rowgroup"
            className={classes.body}
            style={isVirtual ? { height: virtualizer.getTotalSize() } : undefined}
          >
            {isVirtual
              ? virtualRows.map((item) =>
                  renderRow(item.index, { transform: `translateY(${item.start}px)`, height: rowPx }),
                )
              : rows.map((_, index) => renderRow(index))}
            {query.isPending && <SkeletonRows columns={shown.length} />}
          </div>
        </div>
        {query.isSuccess && rows.length === 0 && <div className={classes.none}>{text.nothingFits}</div>}
      </div>
    </>
  );
}

function SkeletonRows({ columns }: { columns: number }) {
  return Array.from({ length: 8 }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
    <div key={row} className={classes.row} aria-hidden="true">
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the cells are all alike
        <div key={column} className={classes.skeleton}>
          <Skeleton height={12} width={`${80 - ((row * 13 + column * 29) % 45)}%`} />
        </div>
      ))}
    </div>
  ));
}
