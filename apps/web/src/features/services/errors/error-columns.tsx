import { UnstyledButton } from '@mantine/core';
import { type Column, State, Time, toWord } from '../../../ui/index.ts';
import { ResourceName } from '../nodes/resource-table.tsx';
import { toKind } from '../resource-kind.ts';
import type { ConfigError, Service } from '../types.ts';
import classes from './errors.module.css';
import { texts } from './texts.tsx';

const text = texts.errorColumns;

interface ErrorColumnsOptions {
  readonly service: Service;
  readonly known: ReadonlySet<string>;
  readonly onOpen: (id: string) => void;
}

// oxlint-disable-next-line max-lines-per-function -- one entry per column
export function listErrorColumns({ service, known, onOpen }: ErrorColumnsOptions): Column<ConfigError>[] {
  const clientOf = (row: ConfigError) =>
    service.targets.find((target) => target.client_id === row.client_id)?.client_name ?? row.client_id ?? '–';
  return [
    {
      id: 'severity',
      header: text.columns.severity,
      sort: 'severity',
      width: 110,
      isNarrow: true,
      cell: (row) => <ErrorState error={row} />,
      text: (row) => row.severity,
    },
    {
      id: 'message',
      isOpening: true,
      header: text.columns.message,
      width: '3fr',
      minWidth: 200,
      isNarrow: true,
      cell: (row) => (
        <UnstyledButton className={classes.open} onClick={() => onOpen(row.id)}>
          <bdi>{row.message}</bdi>
        </UnstyledButton>
      ),
      text: (row) => row.raw_message,
    },
    {
      id: 'type',
      header: text.columns.type,
      width: 130,
      cell: (row) => toKind(row.resource.type).label,
      text: (row) => row.resource.type,
    },
    {
      id: 'resource',
      header: text.columns.resource,
      width: '1fr',
      minWidth: 120,
      cell: (row) => <ResourceName resource={row.resource} version={service.version} known={known} />,
      text: (row) => row.resource.name,
    },
    {
      id: 'client',
      header: text.columns.client,
      width: '1fr',
      minWidth: 100,
      cell: (row) => <bdi>{clientOf(row)}</bdi>,
      text: clientOf,
    },
    {
      id: 'last_seen',
      header: text.columns.lastSeen,
      sort: 'last_seen',
      width: 110,
      cell: (row) => <Time at={row.last_seen} />,
      text: (row) => row.last_seen,
    },
    {
      id: 'first_seen',
      header: text.columns.firstSeen,
      sort: 'first_seen',
      width: 110,
      isOptional: true,
      cell: (row) => <Time at={row.first_seen} />,
      text: (row) => row.first_seen,
    },
    {
      id: 'count',
      header: text.columns.count,
      sort: 'occurrence_count',
      width: 80,
      align: 'right',
      cell: (row) => row.occurrence_count,
      text: (row) => row.occurrence_count,
    },
  ];
}

export function ErrorState({ error }: { error: ConfigError }) {
  if (error.status === 'resolved')
    return <State word={text.state.resolved} why={text.state.whyResolved(error.severity, error.resolved_by ?? null)} />;
  return <State word={toWord(error.severity)} />;
}
