import type { TrafficService } from '@flotilla/contract';
import { Tooltip } from '@mantine/core';
import { ServiceLink } from '../../app/links.tsx';
import { type Column, State, Time } from '../../ui/index.ts';
import { listTrafficColumns } from '../traffic/index.ts';
import { lookOf } from './health.ts';
import { describeService } from './status.ts';
import { texts } from './texts.tsx';
import type { ServiceListItem } from './types.ts';

const text = texts.serviceColumns;

/** Returns the columns of the specification, the open errors and the traffic. `isWhole`: the rows are those of owners and admins. */
export function listServiceColumns(
  isWhole: boolean,
  trafficOf: ReadonlyMap<string, TrafficService>,
): readonly Column<ServiceListItem>[] {
  const columns = isWhole ? COLUMNS : COLUMNS.filter(({ id }) => !OF_ADMINS.includes(id));
  const after = columns.findIndex(({ id }) => id === 'errors') + 1;
  return columns.toSpliced(after, 0, ...listTrafficColumns<ServiceListItem>(trafficOf));
}

const OF_ADMINS: readonly string[] = ['ip_addresses', 'admin_port'];

const COLUMNS: readonly Column<ServiceListItem>[] = [
  {
    id: 'name',
    isOpening: true,
    header: text.columns.name,
    sort: 'name',
    width: '2fr',
    minWidth: 96,
    isNarrow: true,
    cell: (row) => (
      <ServiceLink id={row.id}>
        <bdi>{row.name}</bdi>
      </ServiceLink>
    ),
    text: (row) => row.name,
  },
  {
    id: 'status',
    header: text.columns.status,
    width: 140,
    isNarrow: true,
    cell: (row) => <State {...describeService(row)} {...lookOf(row.health.state)} />,
    text: (row) => describeService(row).word,
  },
  {
    id: 'errors',
    header: text.columns.errors,
    width: 70,
    align: 'right',
    isNarrow: true,
    cell: (row) =>
      row.active_errors === 0 ? (
        <span>0</span>
      ) : (
        <ServiceLink id={row.id} tab="errors">
          <State word={String(row.active_errors)} tone="bad" shape="triangle" why={text.columns.whyErrors} />
        </ServiceLink>
      ),
    text: (row) => row.active_errors,
  },
  {
    id: 'version',
    header: text.columns.version,
    sort: 'version',
    width: 96,
    cell: (row) => <Versions row={row} />,
    text: (row) => row.version,
  },
  {
    id: 'deployed',
    fromPx: 1200,
    header: text.columns.deployed,
    width: 90,
    align: 'right',
    cell: (row) => text.columns.deployedTo(row.deployed),
    text: (row) => row.deployed,
  },
  {
    id: 'ip_addresses',
    header: text.columns.addresses,
    width: '1.5fr',
    minWidth: 120,
    cell: (row) => <Addresses addresses={row.ip_addresses ?? []} />,
    text: (row) => row.ip_addresses?.join(' '),
  },
  {
    id: 'admin_port',
    fromPx: 1200,
    header: text.columns.adminPort,
    width: 100,
    align: 'right',
    cell: (row) => row.admin_port ?? '–',
    text: (row) => row.admin_port,
  },
  {
    id: 'updated_at',
    fromPx: 1200,
    header: text.columns.changed,
    sort: 'updated_at',
    width: 104,
    cell: (row) => <Time at={row.updated_at} />,
    text: (row) => row.updated_at,
  },
];

function Versions({ row }: { row: ServiceListItem }) {
  const others = [...new Set(row.targets.map((target) => target.envoy_version))].filter((one) => one !== row.version);
  if (others.length === 0) return row.version;
  return (
    <Tooltip label={text.versions.someRun(others.join(', '))}>
      <span>
        {row.version} +{others.length}
      </span>
    </Tooltip>
  );
}

function Addresses({ addresses }: { addresses: readonly string[] }) {
  if (addresses.length === 0) return '–';
  const [first, ...others] = addresses;
  if (others.length === 0) return first;
  return (
    <Tooltip label={addresses.slice(0, 40).join(', ')}>
      <span>{text.addresses.andMore(first, others.length)}</span>
    </Tooltip>
  );
}
