import { Group, Stack } from '@mantine/core';
import { Loaded, type LoadedProps } from '../loaded.tsx';
import { Empty } from '../notice.tsx';
import { type PlainColumn, PlainTable } from '../table/plain-table.tsx';
import { CreateButton, type CreateTarget } from './create-button.tsx';

interface ShortListProps<T> {
  readonly words: {
    /** Accessible name of the table. */
    readonly list: string;
    /** Subject of the error: `The rules`. */
    readonly what: string;
    readonly none: string;
    readonly noneText: string;
    readonly add: string;
  };
  /** One page, which has all records. */
  readonly query: LoadedProps<{ readonly body: { readonly items: readonly T[] } }>['query'];
  readonly columns: readonly PlainColumn<T>[];
  readonly create: CreateTarget;
}

/** A list of few records, which a tab shows without paging and search. */
export function ShortList<T extends { readonly id: string }>({ words, query, columns, create }: ShortListProps<T>) {
  const add = <CreateButton {...create} word={words.add} />;
  return (
    <Loaded query={query} what={words.what}>
      {({ body: { items } }) =>
        items.length === 0 ? (
          <Empty title={words.none} action={add}>
            {words.noneText}
          </Empty>
        ) : (
          <Stack gap="sm">
            <Group justify="flex-end">{add}</Group>
            <PlainTable name={words.list} rows={items} columns={columns} rowId={({ id }) => id} />
          </Stack>
        )
      }
    </Loaded>
  );
}
