import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { routes, useApiList } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { DataTable, Empty, type Filter, Page, useTableState } from '../../ui/index.ts';
import { OperationDialog, type OperationOrder, type OperationTarget } from './operations/operation-dialog.tsx';
import { findOperation, type OperationId } from './operations/operations.ts';
import { RunningCommands } from './operations/running-commands.tsx';
import { SERVICE_COLUMNS } from './service-columns.tsx';
import type { ServiceListItem } from './types.ts';
import { useProxyVersions } from './use-proxy-versions.ts';

const BULK: readonly OperationId[] = ['deploy', 'reload', 'restart', 'start', 'stop'];
const STATUSES = ['Live', 'Partial', 'Offline', 'Not Deployed'];

export function ServicesPage() {
  const project = useProject();
  const can = useCan();
  const versions = useProxyVersions();
  const filters = useMemo<Filter[]>(
    () => [
      { name: 'status', label: 'Status', options: STATUSES.map((value) => ({ value, label: value })) },
      { name: 'version', label: 'Version', options: versions.map((value) => ({ value, label: value })) },
      { name: 'name', label: 'Name' },
      { name: 'ip_address', label: 'IP address' },
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
    <Button component={Link} {...({ to: '/p/$project/services/new', params: { project: project.name } } as object)}>
      New service
    </Button>
  );

  return (
    <Page title="Services" lead="Proxy deployments: what runs where, and how it is." actions={create}>
      <RunningCommands />
      <DataTable
        name="services"
        list={list}
        state={state}
        columns={SERVICE_COLUMNS}
        rowId={(row) => row.id}
        filters={filters}
        searches="Name, bootstrap"
        empty={
          <Empty title="No services yet" action={create || undefined}>
            A service is a named proxy deployment: a bootstrap, listeners, policies, and the clients that run it. Create
            one, then deploy it to clients.
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
