import type { ReactNode } from 'react';
import { type ApiList, type RouteRef, useApiList } from '../../api/index.ts';
import type { Topics } from '../../api/query-client.ts';
import { useProjectIfAny } from '../../app/project.tsx';
import { Empty } from '../notice.tsx';
import type { Column, Filter } from '../table/columns.ts';
import { DataTable, type DataTableProps } from '../table/data-table.tsx';
import { useTableState } from '../table/table-state.ts';

export interface ApiTableWords {
  readonly name: string;
  /** Names of the searched fields. Without it there is no search. */
  readonly searches?: string;
  readonly empty: { readonly title: string; readonly text: string };
}

type Query = Readonly<Record<string, unknown>>;

export interface ApiTableProps<T> {
  readonly words: ApiTableWords;
  readonly route: RouteRef;
  /** More parameters of the list than those of the table and the open project. */
  readonly query?: Query;
  /** Converts the parameters of the table for a route that takes them in another form. */
  readonly toQuery?: (state: Query) => Query;
  /** Topics of the change events that make the list stale. */
  readonly topics?: Topics;
  /** For records that change without an event. */
  readonly refetchEveryMs?: number;
  readonly columns: readonly Column<T>[];
  readonly filters?: readonly Filter[];
  readonly rowId?: (row: T) => string;
  /** Actions on the chosen rows. */
  readonly bulk?: DataTableProps<T>['bulk'];
  /** True: the list is not about the open project. */
  readonly isInstallation?: boolean;
  /** Shown beside the search. */
  readonly actions?: ReactNode;
  /** Offered where the list is empty. */
  readonly emptyAction?: ReactNode;
  /** Drawers and dialogs of the list. */
  readonly children?: ReactNode | ((list: ApiList<T>) => ReactNode);
}

/** A table of one list of the API. The URL has its search, sorting and filters. */
export function ApiTable<T extends object>(props: ApiTableProps<T>) {
  const { words, route, query, toQuery, topics, refetchEveryMs, filters, isInstallation = false, children } = props;
  const project = useProjectIfAny();
  const state = useTableState(filters);
  const list = useApiList<T>(
    route,
    {
      query: {
        ...(project && !isInstallation && { project: project.id }),
        ...query,
        ...(toQuery ? toQuery(state.query) : state.query),
      },
    },
    { ...(topics && { topics }), ...(refetchEveryMs !== undefined && { refetchEveryMs }) },
  );
  return (
    <>
      <DataTable
        name={words.name}
        list={list}
        state={state}
        columns={props.columns}
        rowId={props.rowId ?? idOf}
        {...(filters && { filters })}
        {...(props.bulk && { bulk: props.bulk })}
        {...(words.searches !== undefined && { searches: words.searches })}
        actions={props.actions}
        empty={
          <Empty title={words.empty.title} action={props.emptyAction}>
            {words.empty.text}
          </Empty>
        }
      />
      {typeof children === 'function' ? children(list) : children}
    </>
  );
}

const idOf = (row: object) => String('id' in row ? row.id : undefined);
