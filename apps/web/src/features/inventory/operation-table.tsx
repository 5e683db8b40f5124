import type { CallOutput, inventoryRoutes } from '@flotilla/contract';
import type { ReactNode } from 'react';
import { type RouteRef, useApiList } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { type Column, DataTable, Empty, type Filter, Notice, type TableState } from '../../ui/index.ts';
import { DiscoveryHint } from './discovery-hint.tsx';
import { texts } from './texts.tsx';

const text = texts.operations;

const TOPICS = ['inventory'] as const;
const NO_FILTERS: readonly Filter[] = [];

interface OperationTableProps<T, Answer> {
  readonly name: string;
  readonly route: RouteRef;
  readonly query: Readonly<Record<string, unknown>>;
  readonly state: TableState;
  readonly filters?: readonly Filter[];
  readonly columns: readonly Column<T>[];
  readonly rowId: (row: T) => string;
  readonly empty: { readonly title: string; readonly text: string };
  readonly isAttack?: boolean;
  /** Shows the rest of the answer, besides its rows. */
  readonly above?: (answer: Answer) => ReactNode;
  /** Drawers of the list. */
  readonly children?: (rows: readonly T[], isLoading: boolean) => ReactNode;
}

type Bounds = Pick<CallOutput<typeof inventoryRoutes.list>, 'truncated' | 'saturated'>;

/** A list of operations or their groups. Says which bounds have cut it, and why it is empty. */
export function OperationTable<T extends object, Answer extends Bounds = Bounds>(
  props: OperationTableProps<T, Answer>,
) {
  const { name, route, query, state, filters = NO_FILTERS, columns, rowId, empty, isAttack = false, above } = props;
  const project = useProject();
  const list = useApiList<T>(
    route,
    { query: { project: project.id, with_total: 'true', ...query } },
    { topics: TOPICS },
  );
  const answer = firstPage<Answer>(list.query.data);
  return (
    <>
      {answer && <BoundNotices bounds={answer} isAttack={isAttack} />}
      {answer && above?.(answer)}
      <DataTable
        name={name}
        list={list}
        state={state}
        columns={columns}
        filters={filters}
        rowId={rowId}
        searches={text.searches}
        empty={<DiscoveryHint otherwise={<Empty title={empty.title}>{empty.text}</Empty>} />}
      />
      {props.children?.(list.rows, list.query.isPending)}
    </>
  );
}

/** The list has pages; each says the same about the whole list. */
function firstPage<Answer>(data: unknown): Answer | undefined {
  return (data as { readonly pages: readonly Answer[] } | undefined)?.pages[0];
}

function BoundNotices({ bounds: { saturated, truncated }, isAttack }: { bounds: Bounds; isAttack: boolean }) {
  const isSaturated = isAttack ? saturated.attack_surface : saturated.confirmed;
  return (
    <>
      {isSaturated && <Notice tone="quiet" title={isAttack ? text.saturatedAttack : text.saturated} />}
      {truncated && <Notice tone="quiet" title={text.truncated} />}
    </>
  );
}
