import type { InventoryGroup } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import type { Column } from '../../../ui/index.ts';
import { ErrorRate, LastSeen } from '../operation-cells.tsx';
import { Score } from '../risk-cell.tsx';
import { texts as shared } from '../texts.tsx';
import { texts } from './texts.ts';

const text = texts.columns;

/** Identifies a group in the URL. No host contains a space. */
export function groupId({ host, normalized_path: path }: Pick<InventoryGroup, 'host' | 'normalized_path'>): string {
  return `${host} ${path}`;
}

export const GROUP_COLUMNS: readonly Column<InventoryGroup>[] = [
  {
    id: 'normalized_path',
    isOpening: true,
    header: text.path,
    sort: 'normalized_path',
    width: '4fr',
    minWidth: 180,
    isNarrow: true,
    cell: (row) => (
      <Link
        to="."
        search={(before: object) => ({ ...before, group: groupId(row) })}
        resetScroll={false}
        title={row.host + row.normalized_path}
        className="mono"
      >
        <bdi>{row.normalized_path || shared.operation.tcp}</bdi>
      </Link>
    ),
    text: (row) => row.normalized_path,
  },
  {
    id: 'host',
    header: text.host,
    sort: 'host',
    width: '2fr',
    minWidth: 110,
    cell: ({ host }) => (
      <bdi className="mono" title={host}>
        {host || shared.unknown}
      </bdi>
    ),
    text: ({ host }) => host,
  },
  {
    id: 'methods',
    header: text.methods,
    width: '1fr',
    minWidth: 110,
    cell: ({ methods }) => (
      <span className="mono" title={methods.join(' ')}>
        {methods.join(' ')}
      </span>
    ),
    text: ({ methods }) => methods.join(' '),
  },
  {
    id: 'operation_count',
    header: text.operations,
    sort: 'operation_count',
    width: 100,
    align: 'right',
    cell: ({ operation_count: operations }) => operations.toLocaleString('en'),
    text: ({ operation_count: operations }) => operations,
  },
  {
    id: 'total_seen',
    header: text.calls,
    sort: 'total_seen',
    width: 92,
    align: 'right',
    isNarrow: true,
    cell: ({ total_seen: seen }) => seen.toLocaleString('en'),
    text: ({ total_seen: seen }) => seen,
  },
  {
    id: 'error_rate',
    header: text.errors,
    width: 76,
    align: 'right',
    cell: ({ error_rate: rate }) => <ErrorRate rate={rate} />,
    text: ({ error_rate: rate }) => rate,
  },
  {
    id: 'threat',
    header: text.threat,
    sort: 'max_risk_score',
    width: 116,
    cell: (row) => <Score score={row.active_risk_score} band={row.active_risk_band} />,
    text: ({ active_risk_score: score }) => score,
  },
  {
    id: 'exposure',
    header: text.exposure,
    sort: 'max_posture_score',
    width: 116,
    cell: (row) => <Score score={row.active_posture_score} band={row.active_posture_band} />,
    text: ({ active_posture_score: score }) => score,
  },
  {
    id: 'last_seen',
    header: text.lastSeen,
    sort: 'last_seen',
    width: 110,
    cell: ({ last_seen: at }) => <LastSeen at={at} />,
    text: ({ last_seen: at }) => at,
  },
];
