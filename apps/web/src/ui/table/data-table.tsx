import { Button } from '@mantine/core';
import { type CSSProperties, type KeyboardEvent, type ReactNode, useRef } from 'react';
import type { ApiList } from '../../api/index.ts';
import { Problem } from '../notice.tsx';
import { texts } from '../texts.tsx';
import { BulkBar } from './bulk-bar.tsx';
import type { Column, Filter } from './columns.ts';
import { pressRowKey } from './row-keys.ts';
import classes from './table.module.css';
import { type TableModel, useTableModel, useVirtualRows } from './table-model.ts';
import { HeadRow, SkeletonRows, TableRow } from './table-rows.tsx';
import type { TableState } from './table-state.ts';
import { Toolbar } from './toolbar.tsx';

const text = texts.dataTable;

export interface DataTableProps<T> {
  /** Name of the list for settings, CSV and screen readers: `clients`. */
  readonly name: string;
  readonly list: ApiList<T>;
  readonly state: TableState;
  readonly columns: readonly Column<T>[];
  readonly rowId: (row: T) => string;
  readonly filters?: readonly Filter[];
  /** Names of the searched fields: `Name, host, address`. Without it there is no search. */
  readonly searches?: string;
  /** Shown if the list is empty without filters. */
  readonly empty: ReactNode;
  /** Enables selection; gets the selected rows and a function to deselect them. */
  readonly bulk?: (rows: readonly T[], done: () => void) => ReactNode;
  /** Shown beside the search. */
  readonly actions?: ReactNode;
}

/**
 * The list component of all screens. The API sorts, filters and searches; the URL stores the query. Rows beyond 200 are virtual. Arrow keys
 * move between rows and their controls (`pressRowKey`).
 */
export function DataTable<T extends object>(props: DataTableProps<T>) {
  const { name, list, state, columns, rowId, filters = [], bulk } = props;
  const { query } = list;
  const model = useTableModel({ name, list, columns, rowId, isSelectable: bulk !== undefined });
  const { rows, selected, clearSelection } = model;
  const isFiltered = state.q !== '' || Object.keys(state.filters).length > 0;
  if (query.isError && list.rows.length === 0)
    return <FailedList name={name} list={list} state={state} isFiltered={isFiltered} />;
  if (query.isSuccess && rows.length === 0 && !isFiltered) return <>{props.empty}</>;
  return (
    <>
      <Toolbar {...props} filters={filters} look={model.look} total={list.total} />
      {bulk && selected.length > 0 && (
        <BulkBar count={selected.length} onClear={clearSelection}>
          {bulk(selected, clearSelection)}
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
      <Rows name={name} list={list} state={state} model={model} isSelectable={bulk !== undefined} />
    </>
  );
}

type FailedListProps = Pick<DataTableProps<never>, 'name' | 'state'> & {
  readonly list: ApiList<unknown>;
  readonly isFiltered: boolean;
};

function FailedList({ name, list: { query }, state, isFiltered }: FailedListProps) {
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
}

interface RowsProps<T extends object> extends Pick<DataTableProps<T>, 'name' | 'list' | 'state'> {
  readonly model: TableModel<T>;
  readonly isSelectable: boolean;
}

function Rows<T extends object>({ name, list, state, model, isSelectable }: RowsProps<T>) {
  const frame = useRef<HTMLDivElement>(null);
  const { isVirtual, items, totalPx, reveal } = useVirtualRows(model, list, frame);
  const { rows, shown, look, rowPx, template } = model;
  const { query } = list;
  const pressKey = (event: KeyboardEvent<HTMLDivElement>) =>
    pressRowKey(event, { frame: frame.current, rowCount: rows.length, reveal });
  const looks = [shown[0]?.isPinned && classes.wide, look.isDense && classes.dense, isVirtual && classes.virtual];
  const renderRow = (index: number, style?: CSSProperties) => {
    const row = rows[index];
    const place = style ? { style } : {};
    return (
      row && <TableRow key={row.id} row={row} index={index} shown={shown} isSelectable={isSelectable} {...place} />
    );
  };
  return (
    <div
      ref={frame}
      className={classes.frame}
      onKeyDown={pressKey}
      tabIndex={0}
      role="group"
      aria-label={text.listOf(name)}
    >
      <div
        role={isSelectable ? 'grid' : 'table'}
        aria-label={name}
        aria-rowcount={(list.total ?? rows.length) + 1}
        aria-busy={query.isFetching}
        className={[classes.table, ...looks].filter(Boolean).join(' ')}
        style={{ '--columns': template } as CSSProperties}
      >
        <HeadRow model={model} state={state} isSelectable={isSelectable} />
        <div role="rowgroup" className={classes.body} style={isVirtual ? { height: totalPx } : undefined}>
          {isVirtual
            ? items.map(({ index, start }) => renderRow(index, { transform: `translateY(${start}px)`, height: rowPx }))
            : rows.map((_, index) => renderRow(index))}
          {query.isPending && <SkeletonRows columns={shown.length} />}
        </div>
      </div>
      {query.isSuccess && rows.length === 0 && <div className={classes.none}>{text.nothingFits}</div>}
    </div>
  );
}
