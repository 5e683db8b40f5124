import type { CallOutput, InventoryOperationSummary, inventoryRoutes } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { routes } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { type PlainColumn, PlainTable, useTableState } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { OperationLink } from '../operation-name.tsx';
import { OperationTable } from '../operation-table.tsx';
import { texts as shared } from '../texts.tsx';
import { useOperationColumns } from './operation-columns.ts';
import { texts } from './texts.tsx';

const text = texts.pii;

type Answer = CallOutput<typeof inventoryRoutes.pii>;
type Row = Answer['categories'][number];

const SHOWN = ['pii'];

const COLUMNS: readonly PlainColumn<Row>[] = [
  { id: 'category', header: text.category, isNarrow: true, cell: (row) => <CategoryLink row={row} /> },
  {
    id: 'operations',
    header: text.operations,
    align: 'right',
    isNarrow: true,
    cell: ({ operation_count: operations }) => operations.toLocaleString('en'),
  },
  {
    id: 'active',
    header: text.active,
    align: 'right',
    cell: ({ active_count: active }) => active.toLocaleString('en'),
  },
  {
    id: 'samples',
    header: text.samples,
    cell: ({ samples }) =>
      samples.slice(0, 2).map((sample) => (
        <div key={sample.id}>
          <OperationLink of={{ ...sample, operation: '' }} isWhole />
        </div>
      )),
  },
];

function CategoryLink({ row: { category } }: { row: Row }) {
  const project = useProject();
  return (
    <Link to="/p/$project/traffic/endpoints" params={{ project: project.name }} search={{ pii_category: category }}>
      {shared.pii[category]}
    </Link>
  );
}

/** Endpoints whose addresses contain personal data or secrets. */
export function PiiTab() {
  const state = useTableState();
  const columns = useOperationColumns(SHOWN);
  return (
    <div className={layout.stack}>
      <OperationTable<InventoryOperationSummary, Answer>
        name={text.name}
        route={routes.inventory.pii}
        query={state.query}
        state={state}
        columns={columns}
        rowId={({ id }) => id}
        empty={text.empty}
        above={({ categories }) =>
          categories.length > 0 && (
            <PlainTable name={text.categories} rows={categories} columns={COLUMNS} rowId={({ category }) => category} />
          )
        }
      />
    </div>
  );
}
