import { texts } from '../texts.tsx';
import type { Column } from './columns.ts';
import classes from './plain-table.module.css';
import { useOverflow } from './use-overflow.ts';

export type PlainColumn<T> = Pick<Column<T>, 'id' | 'header' | 'cell' | 'align' | 'isNarrow'>;

interface PlainTableProps<T> {
  /** Accessible name. */
  readonly name: string;
  readonly rows: readonly T[];
  /** The first one names the row. */
  readonly columns: readonly PlainColumn<T>[];
  readonly rowId: (row: T) => string;
}

/** A short table without paging, sorting and searching. */
export function PlainTable<T>({ name, rows, columns, rowId }: PlainTableProps<T>) {
  const lookOf = ({ align, isNarrow }: PlainColumn<T>) =>
    [align === 'right' && classes.right, !isNarrow && classes.wide].filter(Boolean).join(' ');
  const { ref, isScrolled } = useOverflow<HTMLDivElement>();
  // The keyboard scrolls what has the focus.
  const scrolled = { role: 'group', tabIndex: 0, 'aria-label': texts.dataTable.listOf(name) };
  return (
    <div ref={ref} className={classes.frame} {...(isScrolled && scrolled)}>
      <table className={classes.table} aria-label={name}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={lookOf(column)}>
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowId(row)}>
              {columns.map((column, index) =>
                index === 0 ? (
                  <th key={column.id} scope="row" className={lookOf(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.id} className={lookOf(column)}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
