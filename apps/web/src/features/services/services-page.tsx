import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { routes, useApiList } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { DataTable, Empty, type Filter, Page, useTableState } from '../../ui/index.ts';
import { CONDITION_OPTIONS } from './condition.ts';
import { OperationDialog } from './operations/operation-dialog.tsx';
import type { OperationOrder, OperationTarget } from './operations/operation-order.ts';
import { findOperation, type OperationId } from './operations/operations.ts';
import { RunningCommands } from './operations/running-commands.tsx';
import { useMayOperate } from './operations/use-may-operate.ts';
import { listServiceColumns } from './service-columns.tsx';
import type { ServiceListItem } from './types.ts';
import { useProxyVersions } from './use-proxy-versions.ts';

const text = texts.services.servicesPage;

const BULK: readonly OperationId[] = ['deploy', 'reload', 'restart', 'start', 'stop'];

export function ServicesPage() {
  const project = useProject();
  const can = useCan();
  const mayOperate = useMayOperate();
  const isWhole = can(routes.service.list);
  const versions = useProxyVersions();
  const filters = useMemo<Filter[]>(
    () => [
      { name: 'condition', label: text.page.status, options: CONDITION_OPTIONS },
      {
        name: 'version',
        label: text.page.version,
        options: versions.map((value) => ({ value, label: value })),
      },
      { name: 'name', label: text.page.name },
      ...(isWhole ? [{ name: 'ip_address', label: text.page.address }] : []),
    ],
    [versions, isWhole],
  );
  const state = useTableState(filters);
  const list = useApiList<ServiceListItem>(
    isWhole ? routes.service.list : routes.fleet.services,
    { query: { project: project.id, with_total: true, ...state.query } },
    { topics: ['service', 'node', 'client', 'config_error'] },
  );
  const columns = useMemo(() => listServiceColumns(isWhole), [isWhole]);
  const bulk = BULK.flatMap((id) => findOperation(id) ?? []).filter(mayOperate);
  const [order, setOrder] = useState<OperationOrder>();
  const create = can(routes.service.create) && (
    <Button
      leftSection={<IconPlus size={14} />}
      component={Link}
      {...({ to: '/p/$project/services/new', params: { project: project.name } } as object)}
    >
      {text.page.create}
    </Button>
  );

  return (
    <Page title={text.page.title} lead={text.page.lead} actions={create}>
      <RunningCommands />
      <DataTable
        name={text.page.list}
        list={list}
        state={state}
        columns={columns}
        rowId={(row) => row.id}
        filters={filters}
        searches={text.page.searches}
        empty={
          <Empty title={text.page.emptyTitle} action={create || undefined}>
            {text.page.empty}
          </Empty>
        }
        {...(bulk.length > 0 && {
          bulk: (rows: readonly ServiceListItem[]) =>
            bulk.map((operation) => (
              <Button
                key={operation.id}
                variant="default"
                onClick={() => setOrder({ operation, targets: rows.map(toTarget) })}
              >
                {operation.label}
              </Button>
            )),
        })}
      />
      <OperationDialog order={order} onClose={() => setOrder(undefined)} />
    </Page>
  );
}

function toTarget({ id, name, version, targets, ...item }: ServiceListItem): OperationTarget {
  const { client_listeners: clientListeners = [], missing_addresses: missing = [] } = item;
  return { id, name, version, nodes: targets, clientListeners, missingAddresses: missing };
}
