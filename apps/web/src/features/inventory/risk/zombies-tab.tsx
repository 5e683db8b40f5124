import type { CallOutput, InventoryOperationSummary, inventoryRoutes } from '@flotilla/contract';
import { Group } from '@mantine/core';
import { routes } from '../../../api/index.ts';
import { useUrlState } from '../../../app/url-state.ts';
import { Time, useTableState } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { Choice, readChoice } from '../choice.tsx';
import { OperationTable } from '../operation-table.tsx';
import { useOperationColumns } from './operation-columns.ts';
import { texts } from './texts.tsx';

const text = texts.zombies;

const toOptions = (values: readonly string[], label: (value: string) => string) =>
  values.map((value) => ({ value, label: label(value) }));
const DAYS = toOptions(['7', '30', '90', '180', '365'], text.days);
const CALLS = toOptions(['100', '1000', '10000', '100000'], (value) => Number(value).toLocaleString('en'));
const DAYS_INITIAL = '30';
const CALLS_INITIAL = '1000';
const SHOWN = ['first_seen'];

/** Endpoints that were busy once and are silent now. */
export function ZombiesTab() {
  const url = useUrlState();
  const state = useTableState();
  const columns = useOperationColumns(SHOWN);
  return (
    <div className={layout.stack}>
      <Group gap="lg">
        <Choice name="days" label={text.inactive} options={DAYS} initial={DAYS_INITIAL} />
        <Choice name="calls" label={text.calls} options={CALLS} initial={CALLS_INITIAL} />
      </Group>
      <OperationTable<InventoryOperationSummary, CallOutput<typeof inventoryRoutes.zombies>>
        name={text.name}
        route={routes.inventory.zombies}
        query={{
          ...state.query,
          inactive_days: readChoice(url.get('days'), DAYS, DAYS_INITIAL),
          min_seen_count: readChoice(url.get('calls'), CALLS, CALLS_INITIAL),
        }}
        state={state}
        columns={columns}
        rowId={({ id }) => id}
        empty={text.empty}
        above={({ inactive_since: at }) => <p className={layout.note}>{text.since(<Time at={at} />)}</p>}
      />
    </div>
  );
}
