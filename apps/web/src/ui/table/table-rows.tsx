import { Skeleton } from '@mantine/core';
import type { CSSProperties } from 'react';
import { texts } from '../texts.tsx';
import { lookOf } from './cell-look.ts';
import { Choice } from './choice.tsx';
import { HeadCell } from './head-cell.tsx';
import { openRow } from './open-row.ts';
import classes from './table.module.css';
import type { TableModel } from './table-model.ts';
import type { TableState } from './table-state.ts';

const text = texts.dataTable;

interface HeadProps<T extends object> {
  readonly model: TableModel<T>;
  readonly state: TableState;
  readonly isSelectable: boolean;
}

export function HeadRow<T extends object>({ model: { table, shown }, state, isSelectable }: HeadProps<T>) {
  return (
    <div role="row" aria-rowindex={1} className={`${classes.row} ${classes.head}`} style={{ position: 'sticky' }}>
      {isSelectable && (
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
  );
}

interface RowProps<T extends object> {
  readonly row: TableModel<T>['rows'][number];
  readonly index: number;
  readonly shown: TableModel<T>['shown'];
  readonly isSelectable: boolean;
  readonly style?: CSSProperties;
}

export function TableRow<T extends object>({ row, index, shown, isSelectable, style }: RowProps<T>) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the link's
    <div
      role="row"
      className={classes.row}
      onClick={openRow}
      style={style}
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={isSelectable ? row.getIsSelected() : undefined}
    >
      {isSelectable && (
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
          role={isSelectable ? 'gridcell' : 'cell'}
          className={`${classes.cell} ${lookOf(column)}`}
          data-opening={column.isOpening}
        >
          {column.cell(row.original)}
        </div>
      ))}
    </div>
  );
}

export function SkeletonRows({ columns }: { columns: number }) {
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
