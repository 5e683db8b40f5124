import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { ApiTable, type Filter, Page } from '../../ui/index.ts';
import { useTrafficByService } from '../traffic/index.ts';
import { HEALTH_OPTIONS } from './health.ts';
import { OperationDialog } from './operations/operation-dialog.tsx';
import type { OperationOrder, OperationTarget } from './operations/operation-order.ts';
import { findOperation, type Operation, type OperationId } from './operations/operations.ts';
import { RunningCommands } from './operations/running-commands.tsx';
import { useMayOperate } from './operations/use-may-operate.ts';
import { listServiceColumns } from './service-columns.tsx';
import { texts } from './texts.tsx';
import type { ServiceListItem } from './types.ts';
import { useProxyVersions } from './use-proxy-versions.ts';

const text = texts.servicesPage;

const WITH_TOTAL = { with_total: true };
const TOPICS = ['service', 'node', 'client', 'config_error'] as const;
const BULK: readonly OperationId[] = ['deploy', 'reload', 'restart', 'start', 'stop'];

export function ServicesPage() {
  const can = useCan();
  const isWhole = can(routes.service.list);
  const trafficOf = useTrafficByService();
  const columns = useMemo(() => listServiceColumns(isWhole, trafficOf), [isWhole, trafficOf]);
  const bulk = useBulkOperations();
  const [order, setOrder] = useState<OperationOrder>();
  const { publish, unpublish, create } = usePageActions();
  return (
    <Page
      title={text.page.title}
      lead={text.page.lead}
      actions={
        <>
          {publish}
          {unpublish}
          {create}
        </>
      }
    >
      <RunningCommands />
      <ApiTable<ServiceListItem>
        words={text.list}
        route={isWhole ? routes.service.list : routes.fleet.services}
        query={WITH_TOTAL}
        topics={TOPICS}
        columns={columns}
        filters={useServiceFilters(isWhole)}
        emptyAction={publish || create}
        {...(bulk.length > 0 && {
          bulk: (rows) => <BulkButtons operations={bulk} targets={rows.map(toTarget)} onOrder={setOrder} />,
        })}
      />
      <OperationDialog order={order} onClose={() => setOrder(undefined)} />
    </Page>
  );
}

function useBulkOperations(): readonly Operation[] {
  const mayOperate = useMayOperate();
  return BULK.flatMap((id) => findOperation(id) ?? []).filter(mayOperate);
}

interface BulkButtonsProps {
  readonly operations: readonly Operation[];
  readonly targets: readonly OperationTarget[];
  readonly onOrder: (order: OperationOrder) => void;
}

function BulkButtons({ operations, targets, onOrder }: BulkButtonsProps) {
  return operations.map((operation) => (
    <Button key={operation.id} variant="default" onClick={() => onOrder({ operation, targets })}>
      {operation.label}
    </Button>
  ));
}

/** The buttons for what the user may do. */
function usePageActions() {
  const project = useProject();
  const can = useCan();
  const params = { project: project.name };
  const linkTo = (to: string) => ({ component: Link, ...({ to, params } as object) });
  return {
    publish: can(routes.publish.publish) && <Button {...linkTo('/p/$project/publish')}>{text.page.publish}</Button>,
    unpublish: can(routes.publish.unpublish) && (
      <Button variant="default" {...linkTo('/p/$project/unpublish')}>
        {text.page.unpublish}
      </Button>
    ),
    create: can(routes.service.create) && (
      <Button variant="default" leftSection={<IconPlus size={14} />} {...linkTo('/p/$project/services/new')}>
        {text.page.create}
      </Button>
    ),
  };
}

function useServiceFilters(isWhole: boolean): readonly Filter[] {
  const versions = useProxyVersions();
  return useMemo<Filter[]>(
    () => [
      { name: 'health', label: text.page.status, options: HEALTH_OPTIONS },
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
}

function toTarget({ id, name, version, targets, ...item }: ServiceListItem): OperationTarget {
  const { client_listeners: clientListeners = [], missing_addresses: missing = [] } = item;
  const nodes = targets.map((one) => ({ ...one, wanted: one.envoy_version, drainTime: one.drain_time_seconds }));
  return { id, name, version, nodes, clientListeners, missingAddresses: missing };
}
