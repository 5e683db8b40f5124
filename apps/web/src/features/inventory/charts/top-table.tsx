import type { ReactNode } from 'react';
import { type PlainColumn, PlainTable, Section } from '../../../ui/index.ts';
import classes from '../inventory.module.css';
import { ShareBar } from './share-bar.tsx';

interface Row {
  readonly requests: number;
}

interface TopTableProps<T extends Row> {
  readonly title: string;
  readonly rows: readonly T[];
  readonly rowId: (row: T) => string;
  readonly name: { readonly header: string; readonly cell: (row: T) => ReactNode };
  /** Header of the column with the requests. */
  readonly requests: string;
  readonly further?: readonly PlainColumn<T>[];
  /** Shown without rows. */
  readonly none: string;
  /** Shown below the table. */
  readonly note?: string | undefined;
}

/** The largest groups, each with a bar of its share in the largest one. */
export function TopTable<T extends Row>(props: TopTableProps<T>) {
  const { title, rows, rowId, name, requests, further = [], none, note } = props;
  const most = Math.max(1, ...rows.map((row) => row.requests));
  const columns: readonly PlainColumn<T>[] = [
    { id: 'name', header: name.header, isNarrow: true, cell: name.cell },
    {
      id: 'requests',
      header: requests,
      isNarrow: true,
      cell: (row) => <ShareBar share={row.requests / most}>{Math.round(row.requests).toLocaleString('en')}</ShareBar>,
    },
    ...further,
  ];
  return (
    <Section title={title}>
      {rows.length === 0 ? (
        <p className={classes.dim}>{none}</p>
      ) : (
        <PlainTable name={title} rows={rows} columns={columns} rowId={rowId} />
      )}
      {note !== undefined && rows.length > 0 && <p className={classes.dim}>{note}</p>}
    </Section>
  );
}
