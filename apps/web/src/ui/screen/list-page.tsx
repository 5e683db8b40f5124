import type { ReactNode } from 'react';
import { Page } from '../page.tsx';
import { ApiTable, type ApiTableProps, type ApiTableWords } from './api-table.tsx';
import { CreateButton, type CreateTarget } from './create-button.tsx';

export interface ListPageWords extends Omit<ApiTableWords, 'name'> {
  readonly title: string;
  readonly lead?: string;
  /** Name of the list, if it is not the title. */
  readonly name?: string;
  readonly empty: ApiTableWords['empty'] & { readonly action?: string };
  readonly create?: { readonly action: string };
}

export interface ListPageProps<T> extends Omit<ApiTableProps<T>, 'words'> {
  readonly words: ListPageWords;
  /** Offers to create a record where the route is allowed. */
  readonly create?: CreateTarget;
  /** Shown above the table. */
  readonly above?: ReactNode;
  /** More buttons of the page. */
  readonly pageActions?: ReactNode;
}

/** A screen with one list: search, sorting and filters of the URL, and the first action where the list is empty. */
export function ListPage<T extends object>({ words, create, above, pageActions, ...table }: ListPageProps<T>) {
  return (
    <Page
      title={words.title}
      lead={words.lead}
      isWide
      actions={
        <>
          {pageActions}
          {create && <CreateButton {...create} word={words.create?.action} icon />}
        </>
      }
    >
      {above}
      <ApiTable
        emptyAction={create && <CreateButton {...create} word={words.empty.action} />}
        {...table}
        words={{ ...words, name: words.name ?? words.title }}
      />
    </Page>
  );
}
