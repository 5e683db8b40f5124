import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { lookOf } from './cell-look.ts';
import { type Column, nextSort } from './columns.ts';
import classes from './table.module.css';

export interface HeadCellProps<T> {
  readonly column: Column<T>;
  readonly sort: string | undefined;
  readonly onSort: (sort: string | undefined) => void;
}

export function HeadCell<T>({ column, sort, onSort }: HeadCellProps<T>) {
  const field = column.sort;
  const isUp = field !== undefined && sort === field;
  const isDown = field !== undefined && sort === `-${field}`;
  return (
    <div
      role="columnheader"
      className={`${classes.headCell} ${lookOf(column)}`}
      aria-sort={isUp ? 'ascending' : isDown ? 'descending' : undefined}
    >
      {field === undefined ? (
        column.header
      ) : (
        <button type="button" className={classes.sort} onClick={() => onSort(nextSort(sort, field))}>
          {column.header}
          {isUp && <IconArrowUp size={13} />}
          {isDown && <IconArrowDown size={13} />}
        </button>
      )}
    </div>
  );
}
