import type { InventoryOperationSummary } from '@flotilla/contract';
import { type Column, State, Time } from '../../../ui/index.ts';
import { formatLatency, POSTURE_LOOKS } from '../looks.ts';
import { ErrorRate, LastSeen } from '../operation-cells.tsx';
import { nameOf, OperationLink } from '../operation-name.tsx';
import { RiskCell } from '../risk-cell.tsx';
import { texts as shared } from '../texts.tsx';
import type { FlagCatalogue } from '../use-inventory.ts';
import { texts } from './texts.ts';

const text = texts.columns;

export type EndpointColumn = Column<InventoryOperationSummary>;

/** The columns of the specification, "Listing columns", and further ones to choose. */
export function listEndpointColumns(catalogue: FlagCatalogue): readonly EndpointColumn[] {
  return [...KEY, ...COUNTS, ...listRiskColumns(catalogue), LAST_SEEN, ...FURTHER];
}

const KEY: readonly EndpointColumn[] = [
  {
    id: 'method',
    header: text.method,
    width: 78,
    isNarrow: true,
    cell: ({ method, other }) => <span className="mono">{other ? shared.unknown : method}</span>,
    text: ({ method }) => method,
  },
  {
    id: 'normalized_path',
    isOpening: true,
    header: text.path,
    sort: 'normalized_path',
    width: '4fr',
    minWidth: 172,
    isNarrow: true,
    cell: (row) => <OperationLink of={row} isOther={row.other} />,
    text: nameOf,
  },
  {
    id: 'host',
    header: text.host,
    sort: 'host',
    width: '3fr',
    minWidth: 146,
    cell: ({ host, other }) => (
      <bdi className="mono" title={host}>
        {other ? shared.unknown : host || shared.unknown}
      </bdi>
    ),
    text: ({ host }) => host,
  },
];

const COUNTS: readonly EndpointColumn[] = [
  {
    id: 'seen_count',
    header: text.calls,
    sort: 'seen_count',
    width: 92,
    align: 'right',
    isNarrow: true,
    cell: ({ seen_count: seen }) => seen.toLocaleString('en'),
    text: ({ seen_count: seen }) => seen,
  },
  {
    id: 'error_rate',
    header: text.errors,
    sort: 'error_rate',
    width: 76,
    align: 'right',
    cell: ({ error_rate: rate }) => <ErrorRate rate={rate} />,
    text: ({ error_rate: rate }) => rate,
  },
  {
    id: 'latency_max_ms',
    header: text.latency,
    sort: 'latency_max_ms',
    width: 104,
    align: 'right',
    cell: ({ latency_max_ms: ms }) => formatLatency(ms),
    text: ({ latency_max_ms: ms }) => ms,
  },
];

function listRiskColumns(catalogue: FlagCatalogue): readonly EndpointColumn[] {
  return [
    {
      id: 'threat',
      header: text.threat,
      sort: 'max_risk_score',
      width: '1fr',
      minWidth: 116,
      cell: (row) => (
        <RiskCell
          score={row.active_risk_score}
          band={row.active_risk_band}
          highest={row.max_risk_score}
          flags={row.threat_flags}
          catalogue={catalogue}
        />
      ),
      text: ({ active_risk_score: score }) => score,
    },
    {
      id: 'exposure',
      header: text.exposure,
      sort: 'max_posture_score',
      width: '1fr',
      minWidth: 116,
      cell: (row) => (
        <RiskCell
          score={row.active_posture_score}
          band={row.active_posture_band}
          highest={row.max_posture_score}
          flags={row.exposure_flags}
          catalogue={catalogue}
        />
      ),
      text: ({ active_posture_score: score }) => score,
    },
  ];
}

const LAST_SEEN: EndpointColumn = {
  id: 'last_seen',
  header: text.lastSeen,
  sort: 'last_seen',
  width: 110,
  cell: ({ last_seen: at }) => <LastSeen at={at} />,
  text: ({ last_seen: at }) => at,
};

const FURTHER: readonly EndpointColumn[] = [
  {
    id: 'first_seen',
    header: text.firstSeen,
    sort: 'first_seen',
    width: 104,
    isOptional: true,
    cell: ({ first_seen: at }) => <Time at={at} />,
    text: ({ first_seen: at }) => at,
  },
  {
    id: 'auth_posture',
    header: text.authentication,
    width: 130,
    isOptional: true,
    cell: ({ auth_posture: posture }) => <State {...POSTURE_LOOKS[posture]} why={shared.postureMeanings[posture]} />,
    text: ({ auth_posture: posture }) => posture,
  },
  {
    id: 'pii',
    header: text.pii,
    width: '1fr',
    minWidth: 110,
    isOptional: true,
    cell: ({ pii_categories: found }) => found.map(({ category }) => shared.pii[category]).join(', ') || shared.unknown,
    text: ({ pii_categories: found }) => found.map(({ category }) => category).join(' '),
  },
  {
    id: 'categories',
    header: text.categories,
    width: '1fr',
    minWidth: 110,
    isOptional: true,
    cell: ({ endpoint_categories: found }) => found.map((one) => shared.categories[one]).join(', ') || shared.unknown,
    text: ({ endpoint_categories: found }) => found.join(' '),
  },
  {
    id: 'protocols',
    header: text.protocols,
    width: 110,
    isOptional: true,
    cell: ({ protocols }) => protocols.join(', '),
    text: ({ protocols }) => protocols.join(' '),
  },
  {
    id: 'listeners',
    header: text.listeners,
    width: '1fr',
    minWidth: 110,
    isOptional: true,
    cell: ({ listeners }) => <bdi className="mono">{listeners.join(', ') || shared.unknown}</bdi>,
    text: ({ listeners }) => listeners.join(' '),
  },
];
