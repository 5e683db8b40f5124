import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ConfirmRecord, Empty, type PlainColumn, PlainTable, Section } from '../../../ui/index.ts';
import { OperationDialog, type OperationField } from './operation-dialog.tsx';
import { texts } from './texts.ts';

interface ManagedListProps<Row> {
  readonly words: { readonly title: string; readonly what: string; readonly list: string };
  readonly rows: readonly Row[];
  readonly total?: number;
  readonly columns: readonly PlainColumn<Row>[];
  readonly rowId: (row: Row) => string;
  readonly mayChange: boolean;
  readonly fields: readonly OperationField[];
  readonly isManaged: (row: Row) => boolean;
  readonly removeTitle: (row: Row) => string;
  readonly removeLabel: (row: Row) => string;
  readonly removeText?: string;
  readonly onAdd: (values: Readonly<Record<string, string | number>>) => Promise<void>;
  readonly onRemove: (row: Row) => Promise<void>;
  readonly children?: ReactNode;
}

/** Routes, policies or tables of a host, with what can be done with them. */
export function ManagedList<Row>(props: ManagedListProps<Row>) {
  const { words, rows, total = rows.length, columns, rowId, mayChange, isManaged } = props;
  const [adding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Row>();
  const actions: PlainColumn<Row> = {
    id: 'actions',
    header: texts.actions,
    isNarrow: true,
    cell: (row) =>
      isManaged(row) && (
        <Button variant="default" size="compact-xs" aria-label={props.removeLabel(row)} onClick={() => setRemoved(row)}>
          {texts.remove}
        </Button>
      ),
  };
  return (
    <Section title={words.title}>
      {props.children}
      {rows.length === 0 ? (
        <Empty title={texts.none} />
      ) : (
        <PlainTable name={words.list} rows={rows} columns={mayChange ? [...columns, actions] : columns} rowId={rowId} />
      )}
      {total > rows.length && <p>{texts.shown(rows.length, total)}</p>}
      {mayChange && (
        <div>
          <Button variant="default" size="compact-sm" onClick={() => setAdding(true)}>
            {texts.add(words.what)}
          </Button>
        </div>
      )}
      <OperationDialog
        opened={adding}
        title={texts.addTitle(words.what)}
        fields={props.fields}
        action={texts.addAction}
        onSend={props.onAdd}
        onClose={() => setAdding(false)}
      />
      <ConfirmRecord
        of={removed}
        title={props.removeTitle}
        action={texts.removeAction}
        isDangerous
        onConfirm={props.onRemove}
        onClose={() => setRemoved(undefined)}
      >
        {() => (
          <>
            {props.removeText && <p>{props.removeText}</p>}
            <p>{texts.test}</p>
          </>
        )}
      </ConfirmRecord>
    </Section>
  );
}
