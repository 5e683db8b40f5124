import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { routes, useApiList } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { DataTable, Empty, type Filter, Page, useTableState } from '../../ui/index.ts';
import { OperationDialog, type OperationOrder, type OperationTarget } from './operations/operation-dialog.tsx';
import { findOperation, type OperationId } from './operations/operations.ts';
import { RunningCommands } from './operations/running-commands.tsx';
import { SERVICE_COLUMNS } from './service-columns.tsx';
import type { ServiceListItem } from './types.ts';
import { useProxyVersions } from './use-proxy-versions.ts';

const text = texts.services.servicesPage;

const BULK: readonly OperationId[] = ['deploy', 'reload', 'restart', 'start', 'stop'];
const STATUSES = [
  { value: 'Live', label: texts.ui.state.live },
  { value: 'Partial', label: texts.ui.state.partial },
  { value: 'Offline', label: texts.ui.state.offline },
  { value: 'Not_Deployed', label: texts.ui.state.notDeployed },
];

export function ServicesPage() {
  const project = useProject();
  const can = useCan();
  const versions = useProxyVersions();
  const filters = useMemo<Filter[]>(
    () => [
      { name: 'status', label: text.page.status, options: STATUSES },
      {
        name: 'version',
        label: text.page.version,
        options: versions.map((value) => ({ value, label: value })),
      },
      { name: 'name', label: text.page.name },
      { name: 'ip_address', label: text.page.address },
    ],
    [versions],
  );
  const state = useTableState(filters);
  const list = useApiList<ServiceListItem>(
    routes.service.list,
    { query: { project: project.id, with_total: true, ...state.query } },
    { topics: ['service', 'client', 'config_error'] },
  );
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
        columns={SERVICE_COLUMNS}
        rowId={(row) => row.id}
        filters={filters}
        searches={text.page.searches}
        empty={
          <Empty title={text.page.emptyTitle} action={create || undefined}>
            {text.page.empty}
          </Empty>
        }
        {...(can(routes.service.patch) && {
          bulk: (rows: readonly ServiceListItem[]) =>
            BULK.map((id) => {
              const operation = findOperation(id);
              return (
                operation && (
                  <Button
                    key={id}
                    variant="default"
                    onClick={() => setOrder({ operation, targets: rows.map(toTarget) })}
                  >
                    {operation.label}
                  </Button>
                )
              );
            }),
        })}
      />
      <OperationDialog order={order} onClose={() => setOrder(undefined)} />
    </Page>
  );
}

function toTarget({ id, name, version, targets }: ServiceListItem): OperationTarget {
  return { id, name, version, nodes: targets };
}
