import { Link } from '@tanstack/react-router';
import { type Column, type Filter, formatExact, State, Time } from '../../ui/index.ts';
import { texts } from './client-texts.tsx';
import { CPU_LIMITS, type Limits, MEMORY_LIMITS, toGauge } from './gauge.ts';
import { Meter } from './meter.tsx';
import type { ClientRow } from './model.ts';
import { ServiceIps } from './service-ips.tsx';

const text = texts.clientColumns;

export const CLIENT_FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: text.filters.status,
    options: [
      { value: 'Live', label: text.filters.live },
      { value: 'Offline', label: text.filters.offline },
    ],
  },
  { name: 'label', label: text.filters.label },
];

export const CLIENT_SEARCHES = text.searches.fields;

type ConnectionRow = Pick<ClientRow, 'client_id' | 'name' | 'status' | 'connected' | 'last_seen'>;

/** Columns that every member of the project may see. */
export function createConnectionColumns<T extends ConnectionRow>(
  project: string,
): Readonly<Record<'name' | 'status' | 'lastSeen', Column<T>>> {
  return {
    name: {
      id: 'name',
      isOpening: true,
      header: text.columns.name,
      sort: 'name',
      width: '2fr',
      minWidth: 116,
      isNarrow: true,
      cell: (row) => (
        <Link to="/p/$project/clients/$clientId" params={{ project, clientId: row.client_id }} title={row.name}>
          <bdi>{row.name}</bdi>
        </Link>
      ),
      text: (row) => row.name,
    },
    status: {
      id: 'status',
      header: text.columns.status,
      width: 96,
      isNarrow: true,
      cell: (row) => <State word={row.status} why={<StatusWhy row={row} />} />,
      text: (row) => row.status,
    },
    lastSeen: {
      id: 'last_seen',
      header: text.columns.lastSeen,
      sort: 'last_seen',
      width: 104,
      isNarrow: true,
      cell: (row) => <Time at={row.last_seen} />,
      text: (row) => row.last_seen,
    },
  };
}

// oxlint-disable-next-line max-lines-per-function -- one entry per column
export function createClientColumns(project: string): readonly Column<ClientRow>[] {
  const { name, status, lastSeen } = createConnectionColumns<ClientRow>(project);
  return [
    name,
    status,
    {
      id: 'service_ips',
      header: text.columns.serviceIps,
      width: 92,
      align: 'right',
      cell: (row) => <ServiceIps row={row} />,
      text: (row) => row.service_ips?.join(' ') ?? row.service_ip_count,
    },
    {
      id: 'version',
      header: text.columns.agent,
      sort: 'version',
      width: 84,
      cell: (row) => <span className="mono">{row.version || '–'}</span>,
      text: (row) => row.version,
    },
    usageColumn({ id: 'cpu', header: text.columns.cpu, sort: 'cpu_percent', limits: CPU_LIMITS }),
    usageColumn({
      id: 'memory',
      header: text.columns.memory,
      sort: 'memory_percent',
      limits: MEMORY_LIMITS,
    }),
    lastSeen,
    {
      id: 'labels',
      header: text.columns.labels,
      width: '2fr',
      minWidth: 120,
      fromPx: 1200,
      cell: (row) => <bdi title={formatLabels(row, '\n')}>{formatLabels(row, ', ') || '–'}</bdi>,
      text: (row) => formatLabels(row, ' '),
    },
    {
      id: 'provider',
      header: text.columns.provider,
      width: 96,
      isOptional: true,
      cell: (row) => <bdi title={row.provider ?? ''}>{row.provider ?? '–'}</bdi>,
      text: (row) => row.provider,
    },
    {
      id: 'hostname',
      header: text.columns.hostname,
      sort: 'hostname',
      width: '1fr',
      minWidth: 110,
      isOptional: true,
      cell: (row) => <bdi title={row.hostname}>{row.hostname || '–'}</bdi>,
      text: (row) => row.hostname,
    },
    {
      id: 'os',
      header: text.columns.os,
      width: 90,
      isOptional: true,
      cell: (row) => <bdi title={row.os}>{row.os || '–'}</bdi>,
      text: (row) => row.os,
    },
    {
      id: 'arch',
      header: text.columns.arch,
      width: 116,
      isOptional: true,
      cell: (row) => <bdi title={row.arch}>{row.arch || '–'}</bdi>,
      text: (row) => row.arch,
    },
    {
      id: 'client_id',
      header: text.columns.clientId,
      width: 300,
      isOptional: true,
      cell: (row) => <span className="mono">{row.client_id}</span>,
      text: (row) => row.client_id,
    },
  ];
}

function formatLabels({ labels }: ClientRow, separator: string): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(separator);
}

interface Usage {
  readonly id: 'cpu' | 'memory';
  readonly header: string;
  readonly sort: 'cpu_percent' | 'memory_percent';
  readonly limits: Limits;
}

function usageColumn({ id, header, sort, limits }: Usage): Column<ClientRow> {
  return {
    id,
    header,
    sort,
    width: 132,
    cell: (row) => (
      <Meter
        gauge={toGauge({ percent: row[sort], at: row.stats_at, isConnected: row.connected }, limits, Date.now())}
        at={row.stats_at}
      />
    ),
    text: (row) => row[sort],
  };
}

/** Formats the reason only when it is shown. */
function StatusWhy({ row }: { row: ConnectionRow }) {
  if (row.connected) return text.statusWhy.connected;
  if (row.last_seen === null) return text.statusWhy.neverConnected;
  return text.statusWhy.silentSince(formatExact(row.last_seen));
}
