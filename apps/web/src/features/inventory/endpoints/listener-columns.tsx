import type { InventoryListener } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import type { Column } from '../../../ui/index.ts';
import { LastSeen } from '../operation-cells.tsx';
import { texts as shared } from '../texts.tsx';
import type { FlagCatalogue } from '../use-inventory.ts';
import { StatusParts } from './status-parts.tsx';
import { texts } from './texts.ts';

const text = texts.columns;
const FLAGS_SHOWN = 2;

/** The listeners with what they served. A name leads to the endpoints of the listener. */
export function listListenerColumns(catalogue: FlagCatalogue): readonly Column<InventoryListener>[] {
  return [KEY, ...COUNTS, STATUSES, ...RISKS, listFlagColumn(catalogue), LAST_SEEN];
}

const KEY: Column<InventoryListener> = {
  id: 'listener',
  isOpening: true,
  header: text.listener,
  sort: 'listener',
  width: '2fr',
  minWidth: 140,
  isNarrow: true,
  cell: ({ listener }) => (
    <Link
      to="."
      search={(before: object) => ({ ...before, layout: undefined, sort: undefined, listener_name: listener })}
      className="mono"
    >
      <bdi>{listener || shared.unknown}</bdi>
    </Link>
  ),
  text: ({ listener }) => listener,
};

const COUNTS: readonly Column<InventoryListener>[] = [
  {
    id: 'operation_count',
    header: text.operations,
    sort: 'operation_count',
    width: 104,
    align: 'right',
    isNarrow: true,
    cell: ({ operation_count: operations }) => operations.toLocaleString('en'),
    text: ({ operation_count: operations }) => operations,
  },
  {
    id: 'confirmed_count',
    header: text.confirmed,
    width: 100,
    align: 'right',
    cell: ({ confirmed_count: confirmed }) => confirmed.toLocaleString('en'),
    text: ({ confirmed_count: confirmed }) => confirmed,
  },
  {
    id: 'total_seen',
    header: text.calls,
    sort: 'total_seen',
    width: 92,
    align: 'right',
    cell: ({ total_seen: seen }) => seen.toLocaleString('en'),
    text: ({ total_seen: seen }) => seen,
  },
  {
    id: 'hosts',
    header: text.hosts,
    width: '2fr',
    minWidth: 130,
    cell: ({ hosts, hosts_omitted: omitted }) => (
      <span className="mono" title={hosts.join('\n')}>
        <bdi>{hosts.join(', ') || shared.unknown}</bdi>
        {omitted > 0 && ` ${shared.risk.more(omitted)}`}
      </span>
    ),
    text: ({ hosts }) => hosts.join(' '),
  },
];

const STATUSES: Column<InventoryListener> = {
  id: 'statuses',
  header: text.statuses,
  width: '1fr',
  minWidth: 120,
  cell: ({ status_dist: statuses }) => <StatusParts statuses={statuses} />,
  text: ({ status_dist: statuses }) => Object.entries(statuses).flat().join(' '),
};

const RISKS: readonly Column<InventoryListener>[] = [
  {
    id: 'threat',
    header: text.threat,
    width: 76,
    align: 'right',
    cell: ({ max_risk_score: score }) => score,
    text: ({ max_risk_score: score }) => score,
  },
  {
    id: 'exposure',
    header: text.exposure,
    width: 84,
    align: 'right',
    cell: ({ max_posture_score: score }) => score,
    text: ({ max_posture_score: score }) => score,
  },
];

function listFlagColumn(catalogue: FlagCatalogue): Column<InventoryListener> {
  const names = ({ risk_flags: flags }: InventoryListener) => flags.map((flag) => catalogue.titleOf(flag));
  return {
    id: 'flags',
    header: text.flags,
    width: '2fr',
    minWidth: 130,
    fromPx: 1440,
    cell: (row) => {
      const [shown, rest] = [names(row).slice(0, FLAGS_SHOWN), names(row).length - FLAGS_SHOWN];
      return (
        <span title={names(row).join('\n')}>
          {shown.join(', ') || shared.unknown}
          {rest > 0 && ` ${shared.risk.more(rest)}`}
        </span>
      );
    },
    text: (row) => names(row).join(' '),
  };
}

const LAST_SEEN: Column<InventoryListener> = {
  id: 'last_seen',
  header: text.lastSeen,
  sort: 'last_seen',
  width: 110,
  cell: ({ last_seen: at }) => <LastSeen at={at} />,
  text: ({ last_seen: at }) => at,
};
