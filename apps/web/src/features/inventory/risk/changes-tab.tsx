import type { CallOutput, InventoryChange, inventorySnapshotRoutes } from '@flotilla/contract';
import { Button, Group, Select } from '@mantine/core';
import { useMemo } from 'react';
import { ApiError, routes, useApi, useApiList } from '../../../api/index.ts';
import { useCan, useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import {
  DataTable,
  Empty,
  type Filter,
  formatExact,
  Problem,
  Time,
  useSending,
  useTableState,
  useWrite,
} from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { toWords } from '../filters/options.ts';
import { useRiskFlags } from '../use-inventory.ts';
import { changeId, listChangeColumns } from './change-columns.tsx';
import { texts } from './texts.tsx';

const text = texts.changes;

const TOPICS = ['inventory'] as const;
const FILTERS: readonly Filter[] = [{ name: 'type', label: text.filter, options: toWords(text.types) }];

type Answer = CallOutput<typeof inventorySnapshotRoutes.changes>;

/** The changes of the catalog since a snapshot. */
export function ChangesTab() {
  const url = useUrlState();
  const project = useProject();
  const flags = useRiskFlags();
  const state = useTableState(FILTERS);
  const columns = useMemo(() => listChangeColumns(flags), [flags]);
  const snapshot = url.get('snapshot');
  const { sort: _, q: __, ...narrowed } = state.query;
  const list = useApiList<InventoryChange>(
    routes.inventorySnapshot.changes,
    {
      query: { project: project.id, ...narrowed, ...(snapshot !== undefined && { snapshot_id: snapshot }) },
    },
    { topics: TOPICS },
  );
  const { error, data } = list.query;
  const answer = (data as { readonly pages: readonly Answer[] } | undefined)?.pages[0];
  const hasNone = error instanceof ApiError && error.code === 'inventory.no_baseline';
  return (
    <div className={layout.stack}>
      <Baseline chosen={snapshot} />
      {hasNone ? (
        <Empty title={text.noBaseline}>{text.noBaselineText}</Empty>
      ) : (
        <>
          {answer && <Summary answer={answer} />}
          <DataTable
            name={text.list}
            list={list}
            state={state}
            columns={columns}
            filters={FILTERS}
            rowId={changeId}
            empty={<Empty title={text.none}>{text.noneText}</Empty>}
          />
        </>
      )}
    </div>
  );
}

function Summary({ answer: { baseline, counts } }: { answer: Answer }) {
  const types = Object.entries(counts) as readonly (readonly [InventoryChange['type'], number])[];
  return (
    <p className={layout.note}>
      {text.since(<Time at={baseline.at} />, baseline.operation_count)}{' '}
      {types.map(([type, number]) => text.number(text.types[type], number)).join(' · ')}
    </p>
  );
}

const SNAPSHOTS_SHOWN = 100;

/** Chooses the snapshot to compare with, and takes one now. */
function Baseline({ chosen }: { chosen: string | undefined }) {
  const url = useUrlState();
  const project = useProject();
  const can = useCan();
  const write = useWrite();
  const sending = useSending();
  const snapshots = useApi(
    routes.inventorySnapshot.list,
    { query: { project: project.id, limit: SNAPSHOTS_SHOWN } },
    { topics: TOPICS },
  );
  const take = () =>
    sending.send(() =>
      write(
        routes.inventorySnapshot.take,
        { query: { project: project.id } },
        { done: text.taken, stale: [routes.inventorySnapshot.list, routes.inventorySnapshot.changes] },
      ),
    );
  const options = snapshots.data?.body.items.map(({ id, at, operation_count: operations }) => ({
    value: id,
    label: text.snapshot(formatExact(at), operations),
  }));
  return (
    <>
      <Group gap="xs">
        <Select
          size="xs"
          w={340}
          aria-label={text.baseline}
          placeholder={text.latest}
          data={options ?? []}
          value={chosen ?? null}
          onChange={(value) => url.set({ snapshot: value ?? undefined }, 'push')}
          clearable
        />
        {can(routes.inventorySnapshot.take) && (
          <Button variant="default" loading={sending.isBusy} onClick={() => void take()}>
            {text.take}
          </Button>
        )}
      </Group>
      {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
    </>
  );
}
