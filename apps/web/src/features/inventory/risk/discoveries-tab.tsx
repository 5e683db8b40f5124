import type { InventoryOperationSummary } from '@flotilla/contract';
import { routes } from '../../../api/index.ts';
import { useUrlState } from '../../../app/url-state.ts';
import { useTableState } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { Choice, readChoice } from '../choice.tsx';
import { OperationTable } from '../operation-table.tsx';
import { useOperationColumns } from './operation-columns.ts';
import { texts } from './texts.tsx';

const text = texts.discoveries;

const WINDOWS = Object.entries(text.windows).map(([value, label]) => ({ value, label }));
const INITIAL = '24';
const SHOWN = ['first_seen', 'auth_posture'];

/** Endpoints that appeared lately. */
export function DiscoveriesTab() {
  const url = useUrlState();
  const state = useTableState();
  const columns = useOperationColumns(SHOWN);
  return (
    <div className={layout.stack}>
      <Choice name="hours" label={text.window} options={WINDOWS} initial={INITIAL} />
      <OperationTable<InventoryOperationSummary>
        name={text.name}
        route={routes.inventory.discoveries}
        query={{ ...state.query, window_hours: readChoice(url.get('hours'), WINDOWS, INITIAL) }}
        state={state}
        columns={columns}
        rowId={({ id }) => id}
        empty={text.empty}
      />
    </div>
  );
}
